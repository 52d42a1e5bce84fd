"""Networks of our shapes in torch and in ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
from peer_timing import Measure, need, repeat

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


def onnx_resnet(batch: int) -> Measure:
    """The convolutional network 64 x 5 in ONNX Runtime, weights of the same shapes.

    It reads what ours reads: the playable squares alone, packed.
    """
    need("onnx")
    runtime = need("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    model = resnet_graph(width=64, blocks=5)
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


def resnet_graph(width: int, blocks: int) -> bytes:
    """The network of `kind = "resnet"` as an ONNX model with weights drawn by lot.

    A 3x3 convolution, blocks of two, each followed by a norm of 8 groups, then 1x1 convolutions
    into dense heads: what src/net/spec.rs lists. The norm is written as torch exports it.
    """
    onnx = need("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper
    rng = np.random.default_rng(1)
    nodes: list[Any] = []
    tensors: list[Any] = []

    def constant(values: np.ndarray[Any, Any]) -> str:
        name = f"w{len(tensors)}"
        tensors.append(numpy_helper.from_array(values, name))
        return name

    def weights(*shape: int) -> str:
        scale = (2.0 / np.prod(shape[1:])) ** 0.5
        return constant((rng.standard_normal(shape) * scale).astype(np.float32))

    def node(kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    ones = np.ones(8, np.float32)
    grouped = constant(np.array([0, 8, -1], np.int64))
    board = constant(np.array([0, width, *PACKED], np.int64))
    group_scale, group_shift = constant(ones), constant(0 * ones)

    def conv_norm(x: str, channels: int) -> str:
        x = node("Conv", x, weights(width, channels, 3, 3), pads=[1, 1, 1, 1])
        x = node("Reshape", x, grouped)
        x = node("InstanceNormalization", x, group_scale, group_shift, epsilon=1e-5)
        x = node("Reshape", x, board)
        x = node("Mul", x, constant(np.ones((width, 1, 1), np.float32)))
        return node("Add", x, constant(np.zeros((width, 1, 1), np.float32)))

    def head(x: str, channels: int) -> str:
        bias = constant(np.zeros(channels, np.float32))
        return node("Flatten", node("Relu", node("Conv", x, weights(channels, width, 1, 1), bias)))

    def dense(x: str, inputs: int, outputs: int) -> str:
        bias = constant(np.zeros(outputs, np.float32))
        return node("Gemm", x, weights(outputs, inputs), bias, transB=1)

    stream = node("Relu", conv_norm("planes", CHANNELS))
    for _ in range(blocks):
        change = conv_norm(node("Relu", conv_norm(stream, width)), width)
        stream = node("Relu", node("Add", stream, change))
    policy = dense(head(stream, 8), 8 * 32, 280)
    value = dense(node("Relu", dense(head(stream, 4), 4 * 32, 64)), 64, 3)

    kind = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "resnet",
        [helper.make_tensor_value_info("planes", kind, ["n", CHANNELS, *PACKED])],
        [helper.make_tensor_value_info(name, kind, None) for name in (policy, value)],
        tensors,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())
