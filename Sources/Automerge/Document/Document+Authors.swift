extension Document {
    /// Returns a text in parts, each with the actor that inserted its characters. Adjacent parts
    /// have different actors. Together they are the result of ``text(obj:)``.
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
    /// - Throws: As ``authors(obj:)``; `.unknownChange` if the document doesn't have one of the
    ///   heads.
    /// - Complexity: As ``textAt(obj:heads:)``.
    public func authorsAt(obj: ObjId, heads: Set<ChangeHash>) throws -> [AuthoredText] {
        try withEngine { (engine) throws(FormatError) in
            let clock = try engine.clock(at: heads)
            return engine.authors(of: try engine.text(obj), at: clock)
        }
    }
}

extension Engine {
    fileprivate func authors(of object: UInt32, at clock: Clock?) -> [AuthoredText] {
        var parts: [AuthoredText] = []
        var bytes = ByteWriter()
        var author: UInt32?
        func end(_ bytes: inout ByteWriter) {
            guard let author, !bytes.buffer.isEmpty else { return }
            parts.append(
                AuthoredText(
                    String(decoding: bytes.buffer, as: UTF8.self),
                    by: ActorId(bytes: opSet.actors.bytes(author))))
            bytes = ByteWriter()
        }
        opSet.forEachVisible(of: object, at: clock) { _, row in
            let actor = opSet.operations[row].actor
            if actor != author {
                end(&bytes)
                author = actor
            }
            opSet.appendText(of: row, to: &bytes)
            return true
        }
        end(&bytes)
        return parts
    }
}
