import Replication

extension DoctorFinding {
    /// The finding in the output of `tideline doctor --json`.
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
    /// The repair in the output of `tideline doctor --repair --json`.
    public var json: JSONValue {
        [
            "file": .string(file), "repair": .string(outcome), "done": .boolean(isDone),
            "kept": .optional(kept),
        ]
    }
}
