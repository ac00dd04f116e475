/// The position of a value in a tree. A coding path is created from the position only on demand.
indirect enum TreePath {
    case root
    case member(TreePath, any CodingKey)
    case element(TreePath, Int)

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var place = self
        while true {
            switch place {
            case .root: return keys.reversed()
            case .member(let outer, let key):
                keys.append(key)
                place = outer
            case .element(let outer, let index):
                keys.append(TreeKey(index: index))
                place = outer
            }
        }
    }
}

/// The key of a member or an element of a tree, if none of the caller's types provides one.
package struct TreeKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    static let superclass = TreeKey(stringValue: "super")

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    package init(intValue: Int) { self.init(index: intValue) }
}
