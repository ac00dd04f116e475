/// Where in a tree a value stands. Coding paths are made of it only when somebody asks.
indirect enum TreePath {
    case root([any CodingKey])
    case member(TreePath, any CodingKey)
    case element(TreePath, Int)

    var keys: [any CodingKey] {
        var keys: [any CodingKey] = []
        var place = self
        while true {
            switch place {
            case .root(let first): return first + keys.reversed()
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

/// A member or an element of a tree, named where no type of the caller's names it.
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
