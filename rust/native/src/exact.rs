//! Whether Python values are exactly what their JSON text says.
//!
//! An encoder writes more than JSON values: a tuple as an array, NaN as null, a date as a string.

use std::collections::HashMap;

use partwire::MAX_DEPTH;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyType};

/// What is looked for: JSON values, and structs of these types.
#[pyclass(module = "partwire_native", frozen)]
pub struct Exact {
    /// By the address of the type, which lives as long as this: the names of its attributes.
    structs: HashMap<usize, (Py<PyType>, Vec<Py<PyString>>)>,
    /// What an absent attribute is.
    unset: Py<PyAny>,
    /// Writes a value as JSON text.
    encode: Py<PyAny>,
}

#[pymethods]
impl Exact {
    #[new]
    fn new(
        structs: Vec<(Bound<'_, PyType>, Vec<Bound<'_, PyString>>)>,
        unset: Py<PyAny>,
        encode: Py<PyAny>,
    ) -> Self {
        let known = structs.into_iter().map(|(kind, names)| {
            let address = kind.as_type_ptr().addr();
            (address, (kind.unbind(), names.into_iter().map(Bound::unbind).collect()))
        });
        Self { structs: known.collect(), unset, encode }
    }

    /// Tells whether a value is a JSON value, or one of the structs, and so is all that it holds;
    /// False for what is derived from one, for integers beyond 64 bits and for deep nesting.
    fn is_exact(&self, value: &Bound<'_, PyAny>) -> bool {
        self.takes(value, MAX_DEPTH)
    }

    /// Returns a value as its text if `is_exact`, else None; raises what the encoder raises.
    pub fn text_of<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if !self.is_exact(value) {
            return Ok(None);
        }
        let text = self.encode.bind(value.py()).call1((value,))?;
        Ok(text.cast_into_exact().ok())
    }
}

impl Exact {
    /// In `value`, `left` more levels may be opened.
    fn takes(&self, value: &Bound<'_, PyAny>, left: usize) -> bool {
        if is_text(value) || value.is_none() {
            return true;
        }
        if value.is_exact_instance_of::<PyInt>() {
            return value.extract::<i64>().is_ok();
        }
        if let Ok(number) = value.cast_exact::<PyFloat>() {
            return number.value().is_finite();
        }
        if value.is_exact_instance_of::<PyBool>() {
            return true;
        }
        let Some(below) = left.checked_sub(1) else { return false };
        if let Ok(dict) = value.cast_exact::<PyDict>() {
            return with_critical_section(dict, || {
                dict.iter().all(|(name, member)| is_text(&name) && self.takes(&member, below))
            });
        }
        if let Ok(list) = value.cast_exact::<PyList>() {
            return list.iter().all(|item| self.takes(&item, below));
        }
        self.takes_struct(value, below)
    }

    fn takes_struct(&self, value: &Bound<'_, PyAny>, below: usize) -> bool {
        let py = value.py();
        let Some((_, names)) = self.structs.get(&value.get_type_ptr().addr()) else { return false };
        names.iter().all(|name| {
            let member = value.getattr(name.bind(py));
            member.is_ok_and(|member| member.is(&self.unset) || self.takes(&member, below))
        })
    }
}

/// Tells whether a value is a string, and without lone surrogates.
fn is_text(value: &Bound<'_, PyAny>) -> bool {
    value.cast_exact::<PyString>().is_ok_and(|text| text.to_str().is_ok())
}
