//! JSON as it is written, in Rust.

/// Returns a [`Value`](crate::json::Value) written as JSON; keys and values may be expressions of
/// anything that serde can write.
///
/// ```
/// let name = "sun";
/// let value = partwire::json!({"lookup": {"name": name, "tries": [1, 2, null]}});
/// assert_eq!(value.to_string(), r#"{"lookup":{"name":"sun","tries":[1,2,null]}}"#);
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! __json {
    // The items of an array, and the members of an object, one by one.
    (@items $made:ident) => {};
    (@items $made:ident null $(, $($more:tt)*)?) => {
        $made.push($crate::__json!(null));
        $crate::__json!(@items $made $($($more)*)?);
    };
    (@items $made:ident [$($item:tt)*] $(, $($more:tt)*)?) => {
        $made.push($crate::__json!([$($item)*]));
        $crate::__json!(@items $made $($($more)*)?);
    };
    (@items $made:ident {$($member:tt)*} $(, $($more:tt)*)?) => {
        $made.push($crate::__json!({$($member)*}));
        $crate::__json!(@items $made $($($more)*)?);
    };
    (@items $made:ident $value:expr $(, $($more:tt)*)?) => {
        $made.push($crate::__json!($value));
        $crate::__json!(@items $made $($($more)*)?);
    };
    (@members $made:ident) => {};
    (@members $made:ident $name:tt: null $(, $($more:tt)*)?) => {
        $made.insert($name, $crate::__json!(null));
        $crate::__json!(@members $made $($($more)*)?);
    };
    (@members $made:ident $name:tt: [$($item:tt)*] $(, $($more:tt)*)?) => {
        $made.insert($name, $crate::__json!([$($item)*]));
        $crate::__json!(@members $made $($($more)*)?);
    };
    (@members $made:ident $name:tt: {$($member:tt)*} $(, $($more:tt)*)?) => {
        $made.insert($name, $crate::__json!({$($member)*}));
        $crate::__json!(@members $made $($($more)*)?);
    };
    (@members $made:ident $name:tt: $value:expr $(, $($more:tt)*)?) => {
        $made.insert($name, $crate::__json!($value));
        $crate::__json!(@members $made $($($more)*)?);
    };
    (null) => { $crate::json::Value::Null };
    ([]) => { $crate::json::Value::Array(::std::vec::Vec::new()) };
    ([$($item:tt)+]) => {{
        #[allow(clippy::vec_init_then_push)]
        let made = {
            let mut made = ::std::vec::Vec::new();
            $crate::__json!(@items made $($item)+);
            made
        };
        $crate::json::Value::Array(made)
    }};
    ({}) => { $crate::json::Value::Object($crate::json::Map::new()) };
    ({$($member:tt)+}) => {{
        let mut made = $crate::json::Map::new();
        $crate::__json!(@members made $($member)+);
        $crate::json::Value::Object(made)
    }};
    // Null for what JSON cannot hold.
    ($value:expr) => { $crate::json::to_value(&$value).unwrap_or_default() };
}
