import KeyValueStore
import LosslessJSON
import Replication
import TidelineCore

extension LogRow {
    /// The value in readable form.
    var valueText: String {
        if isLeftInLog { return "<… \(Counted.text(byteCount, "byte"))>" }
        return ((try? value()) ?? nil)?.description ?? (isDeletion ? "deleted" : "?")
    }

    /// Writes the row in the documented form, with sorted members. `value` is `null` for a
    /// deletion, and for a value that is invalid or too large to list. In the second case,
    /// `problem` explains why.
    ///
    /// - Parameter parents: The causal parents of the row. If the log's format doesn't record the
    ///   devices of parents, their `device` is `null`.
    func write(_ parents: [Parent], to writer: inout JSONWriter) {
        let content = Result { try value()?.json() }
        writer.object { writer in
            writer.key("bytes")
            writer.integer(byteCount)
            writer.key("date")
            writer.string(timestamp.iso8601)
            writer.key("deleted")
            writer.boolean(isDeletion)
            writer.key("device")
            writer.string(device.name)
            writer.key("id")
            writer.integer(id)
            writer.key("key")
            writer.string(key)
            writer.key("parent")
            if let parentTimestamp {
                writer.integer(parentTimestamp.microseconds)
            } else {
                writer.null()
            }
            writer.key("parents")
            writer.array { writer in
                for parent in parents { parent.write(to: &writer) }
            }
            if case .failure(let problem) = content {
                writer.key("problem")
                writer.string("\(problem)")
            }
            if !reverts.isEmpty {
                writer.key("takesBack")
                writer.array { writer in
                    for row in reverts { writer.integer(row.timestamp.microseconds) }
                }
            }
            writer.key("timestamp")
            writer.integer(timestamp.microseconds)
            writer.key("value")
            writer.verbatim((try? content.get()) ?? "null")
        }
    }
}

extension LogRow.Parent {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.key("device")
            if let device { writer.string(device.name) } else { writer.null() }
            writer.key("timestamp")
            writer.integer(timestamp.microseconds)
        }
    }
}
