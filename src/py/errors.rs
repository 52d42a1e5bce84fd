//! The crate's errors as Python's: `ValueError` for values, `OSError` for files, `MemoryError` where there is none, `RuntimeError` for the rest.

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::error::Error;

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match &error {
            Error::Io { path, source } => match source.raw_os_error() {
                // OSError chooses its subclass (FileNotFoundError, …) by the number.
                Some(number) => {
                    let text = source.to_string();
                    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
                    PyOSError::new_err((number, text, path.display().to_string()))
                }
                None => PyOSError::new_err(error.to_string()),
            },
            Error::Interrupted => PyKeyboardInterrupt::new_err(()),
            Error::Memory(_) => PyMemoryError::new_err(error.to_string()),
            Error::Network(_) | Error::Failed(_) => PyRuntimeError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        }
    }
}

/// A whole number given by a caller. One that is out of the type's range is a `ValueError` like any other bad value.
pub fn number<'py, T>(name: &str, expected: &str, value: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error = PyErr>,
{
    value.extract::<T>().map_err(|error| {
        if error.is_instance_of::<PyOverflowError>(value.py()) {
            Error::value(name, value, expected).into()
        } else {
            error
        }
    })
}
