extension EntityGraph {
    /// Updates the indexes after a property gets an entry.
    mutating func noteEntry(_ number: UInt32) {
        guard !valueIndexes.isEmpty || textIndex != nil else { return }
        let entry = entries[Int(number)]
        guard !entry.isRemoved else { return }
        let key = slots[Int(entry.slot)].key
        if valueIndexes[key] != nil {
            let hash = hash(of: entry)
            valueIndexes[key]?.add(entry.slot, hash: hash)
        }
        if textIndex != nil, entry.kind == .string {
            let text = text(of: entry)
            textIndex?.add(number, text: text)
        }
    }

    /// Returns the slots of `key` that may have a value with this hash. The values of some of these
    /// slots may have changed.
    mutating func candidates(key: UInt32, hash: UInt64) -> [UInt32] {
        if let index = valueIndexes[key], !index.isStale { return index.slots(hash: hash) }
        var index = ValueIndex()
        for number in slots.indices where slots[number].key == key {
            for entryNumber in entryNumbers(of: UInt32(number)) {
                let entry = entries[Int(entryNumber)]
                // An entry that doesn't count now may count later, because its target may still be
                // created.
                if !entry.isRemoved { index.add(UInt32(number), hash: self.hash(of: entry)) }
            }
        }
        index.noteComplete()
        let found = index.slots(hash: hash)
        valueIndexes[key] = index
        return found
    }

    /// Returns the entities whose current strings contain each word of `text` at the start of a
    /// word; `nil` if `text` contains no word.
    mutating func matches(text: String) -> Set<UInt32>? {
        let words = FoldedText.words(FoldedText.fold(text)).map(Array.init)
        guard !words.isEmpty else { return nil }
        var index = textIndex ?? makeTextIndex()
        textIndex = nil
        var found: Set<UInt32>?
        for word in words {
            var nodes: Set<UInt32> = []
            for entry in index.entries(withPrefix: word) {
                let held = entries[Int(entry)]
                if isVisible(held) { nodes.insert(slots[Int(held.slot)].node) }
            }
            found = found?.intersection(nodes) ?? nodes
        }
        textIndex = index
        return found
    }

    private func makeTextIndex() -> TextIndex {
        var index = TextIndex()
        for number in entries.indices where entries[number].kind == .string {
            let entry = entries[number]
            if !entry.isRemoved { index.add(UInt32(number), text: text(of: entry)) }
        }
        return index
    }

    /// Returns a hash of the value, which is the same for equal values. A double without a fraction
    /// has the hash of the equal integer.
    func hash(of entry: Entry) -> UInt64 {
        switch entry.kind {
        case .string, .data, .array, .dictionary:
            return Self.hash(bytes(of: entry))
        case .integer, .boolean, .date, .relationship: return Self.hash(entry.payload)
        case .double: return Self.hash(double: Double(bitPattern: entry.payload))
        }
    }

    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    static func hash(_ number: UInt64) -> UInt64 { number &* 0x9E37_79B9_7F4A_7C15 }

    static func hash(double: Double) -> UInt64 {
        if let whole = Int64(exactly: double) { return hash(UInt64(bitPattern: whole)) }
        return hash(double.bitPattern)
    }
}
