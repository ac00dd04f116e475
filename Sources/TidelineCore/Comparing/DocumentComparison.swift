import Automerge
import DocumentStore
import Foundation
import Replication

/// The comparison of the documents of two stores or files, or of one store or file at two instants.
/// Documents are compared place by place.
struct DocumentComparison: Comparison {
    /// The documents of a store, or the document of a file.
    enum Source: Sendable {
        case store(AutomergeStore)
        case file(AutomergeFile)
    }

    let from: DatedStore<Source>
    let to: DatedStore<Source>
    /// The comparison is limited to documents whose identifiers have this prefix.
    var prefix = ""

    func forEach(
        _ body: (StoreDifference) throws -> Void, warn: (ComparedSide, String) -> Void
    ) throws {
        var old = from.names[...]
        var new = to.names[...]
        try MergeJoin.forEach({ old.popFirst() }, { new.popFirst() }, by: { $0.text }) {
            guard let name = $0 ?? $1, name.text.hasPrefix(prefix) else { return }
            // Only the two documents with the same name are open at a time.
            let before = $0.flatMap { open($0, .from, warn) }
            let after = $1.flatMap { open($0, .to, warn) }
            guard ($0 == nil) == (before == nil), ($1 == nil) == (after == nil) else { return }
            do {
                let title = title(of: name)
                try compare(before, after, name) { difference in
                    var difference = difference
                    difference.itemTitle = title
                    try body(difference)
                }
            } catch let error as DocError {
                warn(.to, "\(name.title) is not compared: \(error.message)")
            }
        }
    }

    /// Returns the name of a document as lists show it; `nil` for a file.
    private func title(of name: DocumentName) -> String? {
        name.id.flatMap { to.title(of: $0) ?? from.title(of: $0) }
    }

    private func open(
        _ name: DocumentName, _ side: ComparedSide, _ warn: (ComparedSide, String) -> Void
    ) -> Document? {
        do {
            guard let found = try (side == .from ? from : to).document(name) else { return nil }
            for problem in found.problems {
                warn(side, "\(name.title) is incomplete: \(problem)")
            }
            return found.document
        } catch {
            let reason = String.reason(of: error)
            warn(side, "\(name.title) is not compared: \(reason)")
            return nil
        }
    }

    private func compare(
        _ old: Document?, _ new: Document?, _ name: DocumentName,
        _ body: (StoreDifference) throws -> Void
    ) throws {
        guard let old, let new else {
            let from = old.map { Content(view: DocumentView($0), heads: self.from.heads(of: $0)) }
            let to = new.map { Content(view: DocumentView($0), heads: self.to.heads(of: $0)) }
            guard let whole = from ?? to, !whole.isBeforeFirstChange else { return }
            let side = try whole.side(at: [])
            return try body(
                StoreDifference(
                    .place(document: name.shown, pointer: ""),
                    from: from == nil ? .init() : side, to: to == nil ? .init() : side))
        }
        let both = old.fork()
        try both.merge(other: new)
        let devices = from.authors(of: name).merging(to.authors(of: name)) { first, _ in first }
        let view = DocumentView(both, devices: devices)
        let before = Content(view: view, heads: from.heads(of: old))
        let after = Content(view: view, heads: to.heads(of: new))
        let isLate = from.instant == nil && to.instant == nil && both.heads() == old.heads()
        for place in Self.places(both.difference(from: before.heads, to: after.heads)) {
            let (from, to) = (try before.side(at: place), try after.side(at: place))
            guard from.value?.json != to.value?.json else { continue }
            try body(
                StoreDifference(
                    .place(document: name.shown, pointer: JSONPointer.pointer(place)),
                    from: from, to: to, isLate: isLate))
        }
    }

    /// Returns the places that patches change, without places inside other changed places. A change
    /// inside a list or text counts as a change of the whole list or text, because the indices of
    /// its items change.
    private static func places(_ patches: [Patch]) -> [[Prop]] {
        var names: Set<[Name]> = []
        let places = patches.map(\.place).filter { names.insert(Self.name($0)).inserted }
        return places.filter { place in
            let name = Self.name(place)
            return !name.indices.contains { names.contains(Array(name[..<$0])) }
        }
    }

    private static func name(_ place: [Prop]) -> [Name] {
        place.map { Name(JSONPointer.step($0)) }
    }
}

extension DocumentComparison {
    /// Creates the comparison of two files.
    init(filesOf stores: StoreComparison) throws {
        func file(of side: StoreComparison.Side) throws -> DatedStore<Source> {
            let file = try StoreComparison.naming(side.path) { try AutomergeFile(side.path) }
            return DatedStore(.file(file), at: side.instant)
        }
        self.init(from: try file(of: stores.from), to: try file(of: stores.to))
    }
}

/// The name of a document; empty for the document of a file.
private struct DocumentName {
    let text: Name
    var id: UUID?

    /// The name in output; `nil` for a file.
    var shown: String? { id == nil ? nil : text.text }
    var title: String { shown ?? "the document" }
}

extension DatedStore<DocumentComparison.Source> {
    /// The documents, in byte order of their names.
    fileprivate var names: [DocumentName] {
        switch store {
        case .file: [DocumentName(text: "")]
        case .store(let store):
            store.documentSummaries().map {
                DocumentName(text: Name(store.text(of: $0.id)), id: $0.id)
            }
            .sorted { $0.text < $1.text }
        }
    }

    /// Returns the name of a document as lists show it; `nil` if the store doesn't have it.
    fileprivate func title(of id: UUID) -> String? {
        switch store {
        case .file: nil
        case .store(let store): store.title(of: id)
        }
    }

    /// Returns the device of each actor that edits the document, if the device is known.
    fileprivate func authors(of name: DocumentName) -> [ActorId: DeviceID] {
        switch store {
        case .file: [:]
        case .store(let store): name.id.map { store.authors(of: $0) } ?? [:]
        }
    }

    /// Returns a document, and the reasons why it is incomplete.
    fileprivate func document(
        _ name: DocumentName
    ) throws -> (document: Document, problems: [String])? {
        switch store {
        case .file(let file): return (try file.document(), [])
        case .store(let store):
            guard let id = name.id, let opened = try store.openDocument(id) else { return nil }
            // The store knows the problems of open documents only.
            return withExtendedLifetime(opened) {
                (opened.automerge.fork(), store.problems(of: id)?.lines ?? [])
            }
        }
    }

    /// Returns the heads of the document at the side's instant.
    fileprivate func heads(of document: Document) -> Set<ChangeHash> {
        guard let instant else { return document.heads() }
        let times = DocumentTimes(document)
        return document.heads(where: times.known(times.count(through: instant)))
    }
}

/// A document at a point of its history.
private struct Content {
    let view: DocumentView
    let heads: Set<ChangeHash>

    var isBeforeFirstChange: Bool { heads.isEmpty }

    /// Returns the value at a place, and its writer. The empty place is the whole document.
    func side(at place: [Prop]) throws -> StoreDifference.Side {
        let written = try written(at: place)
        let content: WrittenValue.Content? =
            place.isEmpty ? .object(.ROOT, .Map) : written?.content
        return StoreDifference.Side(
            try content.map {
                try StoreDifference.Value($0, in: view, at: DocumentView.Heads(heads))
            }, device: written.flatMap(author))
    }

    /// Returns the device that wrote a value or, for a counter, incremented it last. Returns `nil` if
    /// the device isn't known, and for maps, lists and texts, which can have several authors.
    private func author(of written: WrittenValue) -> DeviceID? {
        if case .object = written.content { return nil }
        guard case .device(let device) = view.author(of: written.newestOperation.actor) else {
            return nil
        }
        return device
    }

    private func written(at place: [Prop]) throws -> WrittenValue? {
        var found: WrittenValue?
        var object: ObjId? = .ROOT
        for prop in place {
            found = try object.flatMap {
                try view.document.place(prop, of: $0, at: heads)?.winner
            }
            object = if case .object(let id, _)? = found?.content { id } else { nil }
        }
        return found
    }
}

extension StoreDifference.Value {
    /// Creates the value of a whole document in its current state.
    init(_ view: DocumentView) throws {
        try self.init(.object(.ROOT, .Map), in: view, at: view.heads)
    }

    fileprivate init(
        _ content: WrittenValue.Content, in view: DocumentView, at heads: DocumentView.Heads
    ) throws {
        let text: String? =
            switch content {
            case .object(let id, .Text): try view.document.textAt(obj: id, heads: heads.hashes)
            case .scalar(.String(let string)): string
            default: nil
            }
        let typed: TypedText? =
            if case .object = content { nil } else { try view.typed(content) }
        self.init(
            .verbatim(try view.json(of: content, at: heads)),
            text: try text ?? view.json(of: content, at: heads, indented: true),
            type: content.typeName, hasWords: true, typed: typed)
    }
}
