import Replication

/// Taking over several items that have no common transaction. They are previewed together, and
/// written one after the other.
extension DifferencesSource {
    /// The part of a preview that is about one row.
    private struct Part {
        var summary = ""
        var changeCount = 0
        var expectation: [Name: String] = [:]
    }

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
                let part = Part(
                    summary: preview.summary, changeCount: preview.changes.count,
                    expectation: preview.expectation)
                Self.write(part, at: index, to: &expectation)
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
    /// another error also the remaining ones.
    ///
    /// - Throws: ``EditError`` if no row was written; the error of the first row that could not be
    ///   written, if no row was written before it.
    func applySeparately(_ preview: EditPreview, _ rows: [RowID]) async throws -> AppliedEdit {
        let parts = Self.parts(of: preview)
        var changes = preview.changes[...]
        var applied: [AppliedEdit] = []
        var skipped: [SkippedEdit] = []
        var written: Set<Name> = []
        var failure: String?
        for (index, row) in rows.enumerated() {
            guard let part = parts[index] else { continue }
            var one = preview
            one.edit = .takeOver([row])
            one.summary = part.summary
            one.rowCount = 1
            one.changes = Array(changes.prefix(part.changeCount))
            one.expectation = part.expectation
            changes = changes.dropFirst(part.changeCount)
            if let failure {
                skipped.append(SkippedEdit(edit: one.edit, reason: failure))
                continue
            }
            do {
                applied.append(try await apply(one, after: written))
                written.formUnion(part.expectation.keys)
            } catch {
                let isAboutRow = (error as? EditError)?.isAboutChangedRow ?? false
                // The written rows must be recorded, so that they can be undone.
                guard isAboutRow || !applied.isEmpty else { throw error }
                let reason = String.reason(of: error)
                skipped.append(SkippedEdit(edit: one.edit, reason: reason))
                if !isAboutRow { failure = reason }
            }
        }
        guard var whole = AppliedEdit(applied) else { throw EditError(skipping: skipped) }
        whole.skipped = skipped
        return whole
    }

    /// Writes one previewed row.
    ///
    /// A property's expected state is that of its whole entity, which an earlier property of the
    /// same edit may have changed. The row is then previewed again, and written if its own values
    /// are still the previewed ones.
    ///
    /// - Parameter written: The items whose state was expected by rows that were written before.
    private func apply(
        _ preview: EditPreview, after written: Set<Name>
    ) async throws -> AppliedEdit {
        do {
            return try await apply(preview)
        } catch let error as EditError
            where error.code == .moved && !written.isDisjoint(with: preview.expectation.keys)
        {
            let renewed = try await self.preview(preview.edit)
            // The subject contains the name of the entity, which may be the value written before.
            guard
                renewed.changes.elementsEqual(
                    preview.changes, by: { $0.old == $1.old && $0.new == $1.new })
            else { throw error }
            return try await apply(renewed)
        }
    }

    // MARK: Expected states

    /// Adds the part of a row to the expected states of all rows.
    private static func write(
        _ part: Part, at index: Int, to expectation: inout [Name: String]
    ) {
        expectation[Name("\(index)/summary")] = part.summary
        expectation[Name("\(index)/changes")] = String(part.changeCount)
        for (name, state) in part.expectation {
            expectation[Name("\(index)/state/\(name.text)")] = state
        }
    }

    /// Returns the parts of a preview by the indexes of their rows.
    private static func parts(of preview: EditPreview) -> [Int: Part] {
        var parts: [Int: Part] = [:]
        for (name, state) in preview.expectation {
            let words = name.text.utf8.split(
                separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false
            ).map { String(decoding: $0, as: UTF8.self) }
            guard words.count > 1, let index = Int(words[0]) else { continue }
            switch words[1] {
            case "summary": parts[index, default: Part()].summary = state
            case "changes": parts[index, default: Part()].changeCount = Int(state) ?? 0
            case "state" where words.count == 3:
                parts[index, default: Part()].expectation[Name(words[2])] = state
            default: break
            }
        }
        return parts
    }
}
