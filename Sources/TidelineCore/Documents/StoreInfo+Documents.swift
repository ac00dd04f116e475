import Automerge

extension StoreInfo.Section {
    /// What one Automerge file holds.
    static func document(_ path: String) throws -> Self {
        let file = try AutomergeFile(path)
        let check = file.check()
        var section = Self(
            counts: ["documents": 1, "chunks": check.chunks.count], problems: check.warnings)
        for chunk in check.chunks {
            guard let problem = chunk.problem else { continue }
            section.problems.append("byte \(chunk.problemOffset ?? chunk.offset): \(problem)")
        }
        // Nothing more can be said of a damaged file.
        if let view = try? file.view() { section.counts["conflicts"] = try view.conflictCount() }
        return section
    }
}
