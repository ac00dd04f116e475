import Replication

/// Taking over several items that have no common transaction. They are previewed together, and
/// written one after the other.
extension DifferencesSource {
    /// Returns the preview of taking over several rows. Rows that are already the same are left
    /// out.
    ///
    /// - Throws: ``EditError`` for the first row that can't be taken over.
    func previewSeparately(_ rows: [RowID]) async throws -> EditPreview {
        var previews: [EditPreview] = []
        var unchanged: EditError?
        var expectation: [Name: String] = [:]
        for (index, row) in rows.enumerated() {
            do {
                let preview = try await preview(.takeOver([row]))
                expectation[Self.name(index)] = preview.summary
                for (name, state) in preview.expectation {
                    expectation[Self.name(index, name)] = state
                }
                previews.append(preview)
            } catch let error as EditError where error.code == .unchanged {
                unchanged = error
            }
        }
        guard var whole = previews.first else { throw unchanged ?? EditError.sameValue }
        whole.edit = .takeOver(rows)
        whole.summary = AppliedEdit.summary(previews.map(\.summary))
        whole.changes = previews.flatMap(\.changes)
        whole.rowCount = previews.count
        whole.createsDevice = previews.contains(where: \.createsDevice)
        whole.resolvesConflict = previews.contains(where: \.resolvesConflict)
        whole.expectation = expectation
        for warning in previews.dropFirst().flatMap(\.warnings)
        where !whole.warnings.contains(warning) {
            whole.warnings.append(warning)
        }
        return whole
    }

    /// Writes the previewed rows. Rows that have changed since the preview are skipped, and after
    /// an error also the remaining ones.
    ///
    /// - Throws: ``EditError`` if no row was written.
    func applySeparately(_ preview: EditPreview, _ rows: [RowID]) async throws -> AppliedEdit {
        var applied: [AppliedEdit] = []
        var skipped: [SkippedEdit] = []
        for (index, row) in rows.enumerated() {
            guard let summary = preview.expectation[Self.name(index)] else { continue }
            var one = preview
            one.edit = .takeOver([row])
            one.summary = summary
            one.expectation = Self.expectation(of: index, in: preview)
            do {
                applied.append(try await apply(one))
            } catch let error as EditError where error.isAboutChangedRow || !applied.isEmpty {
                skipped.append(SkippedEdit(edit: one.edit, reason: error.message))
            }
        }
        guard var whole = AppliedEdit(applied) else { throw EditError(skipping: skipped) }
        whole.skipped = skipped
        return whole
    }

    private static func expectation(of index: Int, in preview: EditPreview) -> [Name: String] {
        let prefix = name(index, Name("")).text
        var expectation: [Name: String] = [:]
        for (name, state) in preview.expectation where name.hasPrefix(prefix) {
            let own = name.text.utf8.dropFirst(prefix.utf8.count)
            expectation[Name(String(decoding: own, as: UTF8.self))] = state
        }
        return expectation
    }

    /// Returns the name of a row's summary, or of one of its expected states, among the
    /// expectations of all rows.
    private static func name(_ index: Int, _ name: Name? = nil) -> Name {
        Name(name.map { "\(index)/\($0.text)" } ?? String(index))
    }
}
