extension Document {
    /// Returns a text in parts, each with the actor that inserted its characters. Adjacent parts
    /// have different actors. Together, the parts are the result of ``text(obj:)``.
    ///
    /// - Throws: ``DocError``: `.unknownObject`, `.wrongObjectType`.
    /// - Complexity: O(*n*) in the length of the text.
    public func authors(obj: ObjId) throws -> [AuthoredText] {
        try withEngine { (engine) throws(FormatError) in
            engine.commit()
            return engine.authors(of: try engine.text(obj), at: nil)
        }
    }

    /// Returns the parts that ``authors(obj:)`` would have returned at `heads`.
    ///
    /// - Throws: As ``authors(obj:)``; `.unknownChange`.
    /// - Complexity: As ``textAt(obj:heads:)``.
    public func authorsAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [AuthoredText] {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(at: heads)
            return engine.authors(of: try engine.text(obj), at: clock)
        }
    }

    /// A part of a text that one change inserted.
    package struct WrittenPart: Sendable {
        package let text: String
        package let actor: ActorId
        /// The number of the change; `nil` for an unknown change.
        package let change: Int?
    }

    /// Returns a text in parts, each with the change that inserted its characters. If `heads` is
    /// `nil`, the current state is read.
    ///
    /// - Throws: As ``authorsAt(obj:heads:)``.
    package func writtenParts(of obj: ObjId, at heads: Set<ChangeHash>?) throws -> [WrittenPart] {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(ifGiven: heads)
            var parts: [WrittenPart] = []
            engine.forEachRun(of: try engine.text(obj), at: clock) { operation in
                engine.change(of: operation)
            } _: { text, actor, change in
                parts.append(WrittenPart(text: text, actor: actor, change: change))
            }
            return parts
        }
    }
}

extension Engine {
    fileprivate func authors(of object: UInt32, at clock: Clock?) -> [AuthoredText] {
        var parts: [AuthoredText] = []
        forEachRun(of: object, at: clock) { _ in
            true
        } _: { text, actor, _ in
            parts.append(AuthoredText(text, by: actor))
        }
        return parts
    }

    /// Calls `body` with each run of characters by the same actor for which `mark` is equal.
    fileprivate func forEachRun<Mark: Equatable>(
        of object: UInt32, at clock: Clock?, mark: (Operation) -> Mark,
        _ body: (String, ActorId, Mark) -> Void
    ) {
        var bytes = ByteWriter()
        var run: (actor: UInt32, mark: Mark)?
        func end() {
            guard let run, !bytes.buffer.isEmpty else { return }
            body(
                String(decoding: bytes.buffer, as: UTF8.self),
                ActorId(bytes: opSet.actors.bytes(run.actor)), run.mark)
            bytes = ByteWriter()
        }
        opSet.forEachVisible(of: object, at: clock) { _, row in
            let operation = opSet.operations[row]
            let mark = mark(operation)
            if run.map({ $0.actor != operation.actor || $0.mark != mark }) ?? true {
                end()
                run = (operation.actor, mark)
            }
            opSet.appendText(of: row, to: &bytes)
            return true
        }
        end()
    }
}
