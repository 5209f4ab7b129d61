//! Tools that the vendor runs, as Groq tells of them: twice, the second time with the output.

use std::collections::HashMap;

use crate::json::raw::{Raw, RawObject, as_json_text};
use crate::json::raw_text::Text;
use crate::providers::core::tool_results::read_result;
use crate::providers::core::writer::{DeltaWriter, OpenCall};
use crate::providers::core::writing::whole_parts::ServerResult;
use crate::providers::openai_chat::citations::Annotations;

/// The output as data.
const FOUND: [&str; 3] = ["search_results", "code_results", "browser_results"];

/// What a tool says of its call and result: JSON text by member.
type Said = HashMap<&'static str, String>;

/// A tool that has been told of, and what it has said.
struct Tool {
    name: String,
    call: OpenCall,
    is_over: bool,
    said: Said,
}

impl Tool {
    /// Tells whether it says otherwise now, of what has been written.
    fn contradicts(&self, said: &Said) -> bool {
        let mut written = said.iter().filter(|(name, _)| self.is_over || **name == "arguments");
        written.any(|(name, text)| self.said.get(name) != Some(text))
    }
}

/// Writes the calls and results of one answer.
#[derive(Default)]
pub(crate) struct ChatServerTools {
    /// By index, or place.
    tools: HashMap<i128, Tool>,
}

impl ChatServerTools {
    /// Reads the tools of one chunk; returns those that have not been written, or not whole.
    pub(crate) fn read(
        &mut self,
        writer: &mut DeltaWriter,
        annotations: &mut Annotations,
        tools: &Raw,
    ) -> Vec<Raw> {
        let given = tools.array().unwrap_or(std::slice::from_ref(tools));
        let mut left = Vec::new();
        for (place, tool) in (0..).zip(given) {
            let named = tool.object().and_then(|members| Some((name_of(members)?, members)));
            let is_read = named.is_some_and(|(name, members)| {
                self.read_tool(writer, annotations, members, name, place)
            });
            if !is_read {
                left.push(tool.clone());
            }
        }
        left
    }

    /// Writes what a tool says; returns false where it contradicts itself.
    fn read_tool(
        &mut self,
        writer: &mut DeltaWriter,
        annotations: &mut Annotations,
        tool: &RawObject,
        name: String,
        place: i128,
    ) -> bool {
        let names = ["arguments", "output"].into_iter().chain(FOUND);
        let names = names.filter(|name| tool.get(name).says_something());
        let said: Said = names.map(|name| (name, as_json_text(tool.get(name)))).collect();
        let index = tool.get("index").int();
        let key = index.unwrap_or(place);
        let goes_on = |known: &Tool| known.name == name && (index.is_some() || !known.is_over);
        if !self.tools.get(&key).is_some_and(goes_on) {
            let call = open(writer, annotations, tool, &name);
            self.tools.insert(key, Tool { name, call, is_over: false, said: said.clone() });
        }
        let Some(known) = self.tools.get_mut(&key) else { return false };
        let is_sound = !known.contradicts(&said);
        if !known.is_over {
            known.said.extend(said);
            known.write_result(writer, annotations, tool);
        }
        is_sound
    }
}

impl Tool {
    fn write_result(
        &mut self,
        writer: &mut DeltaWriter,
        annotations: &mut Annotations,
        tool: &RawObject,
    ) {
        let output = Some(tool.get("output")).filter(|output| !output.is_null());
        let found = FOUND.iter().map(|name| tool.get(name)).find(|found| found.says_something());
        let Some(said) = output.or(found) else { return };
        self.is_over = true;
        let (content, data) = read_result(said);
        let structured = found.map_or(data, |found| read_result(found).1);
        let outcome = Some("success".to_owned());
        let result = ServerResult { is_error: false, content, outcome, structured };
        let id = writer.id_of(self.call).to_owned();
        let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
        writer.collecting(&mut collect).server_result(Some(Text::from(&id)), result, &[]);
    }
}

fn open(
    writer: &mut DeltaWriter,
    annotations: &mut Annotations,
    tool: &RawObject,
    name: &str,
) -> OpenCall {
    let mut collect = |writer: &mut DeltaWriter| annotations.write(writer);
    let mut writing = writer.collecting(&mut collect);
    let call = writing.open_server_call(tool.get("id").text(), name);
    let arguments = tool.get("arguments");
    if let Some(text) = arguments.text() {
        writing.args(call, text);
    } else if !arguments.is_null() {
        writing.args(call, as_json_text(arguments).as_str());
    }
    writing.end_call(call);
    call
}

/// Returns the name of a tool: its type, unless that is what all have.
fn name_of(tool: &RawObject) -> Option<String> {
    let (kind, name) = (tool.get("type"), tool.get("name"));
    let is_general = kind.is_null() || kind.str() == Some("function");
    let own = name.some_text().filter(|_| is_general);
    let said = own.or_else(|| kind.some_text())?;
    Some(said.well_formed().into_owned())
}
