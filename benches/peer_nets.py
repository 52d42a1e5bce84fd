"""Networks of our shapes in torch and in ONNX Runtime."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from peer_timing import Measure, MissingPeer, need, repeat

import shashki


def torch_mlp(batch: int) -> Measure:
    """The layers of the network 256 x 1 in torch eager, on an input that is ready."""
    torch = need("torch")
    torch.set_num_threads(1)
    inputs, width, actions = 194, 256, 280
    linear = torch.nn.functional.linear
    torch.manual_seed(1)
    shapes = [(width, inputs), (width, width), (actions, width), (32, width), (3, 32)]
    weights = [(torch.randn(shape) / shape[1] ** 0.5, torch.zeros(shape[0])) for shape in shapes]
    rows = (torch.rand(batch, inputs) < 0.1).float()
    first, block, policy, hidden, value = weights

    def work() -> int:
        with torch.no_grad():
            for _ in range(16):
                stream = linear(rows, *first)
                stream = stream + linear(stream.relu(), *block)
                active = stream.relu()
                linear(active, *policy)
                linear(linear(active, *hidden).relu(), *value)
        return 16 * batch

    return repeat(work)


def onnx_resnet(program: str, batch: int) -> Measure:
    """The convolutional network 64 x 5 in ONNX Runtime, with the weights that `program` times.

    It reads what ours reads: the playable squares alone, packed.
    """
    need("onnx")
    runtime = need("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = resnet_graph(timed_weights(program, "resnet-64x5"))
    session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(1)
    planes = (rng.random((batch, CHANNELS, *PACKED)) < 0.1).astype(np.float32)

    def work() -> int:
        session.run(None, {"planes": planes})
        return batch

    return repeat(work)


#: Planes of Russian draughts, and the one that tells shifted ranks apart.
CHANNELS = len(shashki.Game("russian").plane_names) + 1
#: Ranks, and the playable squares of each.
PACKED = (8, 4)


def timed_weights(program: str, name: str) -> dict[str, np.ndarray[Any, Any]]:
    """The weights of a network that `shashki bench` times."""
    with tempfile.TemporaryDirectory() as folder:
        args = [program, "bench", "net-cpu-1", "--quick", "--nets", folder]
        done = subprocess.run(args, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MissingPeer(f"{' '.join(args)}: {done.stderr.strip()}")
        return read_weights(Path(folder) / f"{name}.safetensors")


def read_weights(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The tensors of a safetensors file: a length, a header in JSON, then the numbers."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, tensor in header.items():
        begin, end = (start + offset for offset in tensor["data_offsets"])
        values = np.frombuffer(data[begin:end], np.float32)
        tensors[name] = values.reshape(tensor["shape"])
    return tensors


def resnet_graph(tensors: dict[str, np.ndarray[Any, Any]]) -> bytes:
    """A network of `kind = "resnet"` as an ONNX model with the weights of its file.

    A 3x3 convolution, blocks of two, each followed by a norm of 8 groups, then 1x1 convolutions
    into dense heads: what src/net/spec.rs lists. The norm is written as torch exports it.
    """
    onnx = need("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    nodes: list[Any] = []
    constants: list[Any] = []
    width = tensors["input.norm.weight"].size
    blocks = sum(name.endswith(".0.conv.weight") for name in tensors)

    def constant(values: np.ndarray[Any, Any]) -> str:
        name = f"w{len(constants)}"
        constants.append(numpy_helper.from_array(values, name))
        return name

    def weights(name: str) -> str:
        return constant(tensors[name])

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    ones = np.ones(8, np.float32)
    grouped = constant(np.array([0, 8, -1], np.int64))
    board = constant(np.array([0, width, *PACKED], np.int64))
    group_scale, group_shift = constant(ones), constant(0 * ones)

    def conv_norm(x: str, name: str) -> str:
        x = node("Conv", x, weights(f"{name}.conv.weight"), pads=[1, 1, 1, 1])
        x = node("Reshape", x, grouped)
        x = node("InstanceNormalization", x, group_scale, group_shift, epsilon=1e-5)
        x = node("Reshape", x, board)
        x = node("Mul", x, constant(tensors[f"{name}.norm.weight"].reshape(width, 1, 1)))
        return node("Add", x, constant(tensors[f"{name}.norm.bias"].reshape(width, 1, 1)))

    def head(x: str, name: str) -> str:
        x = node("Conv", x, weights(f"{name}.weight"), weights(f"{name}.bias"))
        return node("Flatten", node("Relu", x))

    def dense(x: str, name: str) -> str:
        return node("Gemm", x, weights(f"{name}.weight"), weights(f"{name}.bias"), transB=1)

    stream = node("Relu", conv_norm("planes", "input"))
    for i in range(blocks):
        change = conv_norm(node("Relu", conv_norm(stream, f"blocks.{i}.0")), f"blocks.{i}.1")
        stream = node("Relu", node("Add", stream, change))
    policy = dense(head(stream, "policy.conv"), "policy")
    value = dense(node("Relu", dense(head(stream, "value.conv"), "value.hidden")), "value")

    kind = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "resnet",
        [helper.make_tensor_value_info("planes", kind, ["n", CHANNELS, *PACKED])],
        [helper.make_tensor_value_info(name, kind, None) for name in (policy, value)],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())
