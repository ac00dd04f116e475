import Replication

extension Finding {
    /// As `tideline doctor --json` writes it.
    public var json: JSONValue {
        [
            "code": .string(code), "severity": .string(severity.rawValue),
            "device": .optional(device?.name), "file": .string(file),
            "finding": .string(problem), "remedy": .optional(advice),
            "command": .optional(command),
        ]
    }
}

extension Repair {
    /// As `tideline doctor --repair --json` writes it.
    public var json: JSONValue {
        [
            "file": .string(file), "repair": .string(outcome), "done": .boolean(isDone),
            "kept": .optional(kept),
        ]
    }
}
