import AutoModel
import Foundation

// The same tables as different versions of a program declare them.

enum V1 {
    @AutoModel final class Item {
        var name = ""
        var size = 0
    }
    @AutoModel final class Shelf {
        var items = ManyToMany(V1.Item.self)
    }
}

enum Added {
    @AutoModel final class Item {
        var name = ""
        var size = 0
        var note: String?
        var level = 3
        var stamp = UUID()
    }
    @AutoModel final class Other { var name = "" }
}

enum Renamed1 {
    @AutoModel final class Item {
        var name = ""
        @Column(formerly: "size") var amount = 0
    }
}

enum Renamed2 {
    @AutoModel final class Item {
        var name = ""
        @Column(formerly: "size", "amount") var number = 0
    }
}

enum Dropped {
    @AutoModel final class Item { var name = "" }
    @AutoModel("Item") final class Said {
        var name = ""
        static var schema: ModelSchema<Said> { ModelSchema().removed("size") }
    }
}

enum Typed {
    @AutoModel("Item") final class Text {
        var name = ""
        var size = ""
    }
    @AutoModel("Item") final class Optional {
        var name = ""
        var size: Int?
    }
    @AutoModel("Item") final class Converted {
        var name = ""
        var size = 0
        static var schema: ModelSchema<Converted> {
            ModelSchema().converting(\.size) { old in
                if case .text(let text) = old { .integer(Int64(text.count)) } else { 0 }
            }
        }
    }
}

enum Indexed {
    @AutoModel final class Item {
        @Column(.unique) var name = ""
        var size = 0
        static var schema: ModelSchema<Item> {
            ModelSchema().index(\.size, \.name).index(\.size, where: "size > 3")
                .index(expression: "lower(name)")
        }
    }
}

enum Searched {
    @AutoModel final class Item {
        @Column(.fullText) var name = ""
        var size = 0
    }
}

enum Moved {
    @AutoModel(file: "cache") final class Item {
        var name = ""
        var size = 0
    }
    @AutoModel(formerly: "Shelf") final class Rack {
        var items = ManyToMany(V1.Item.self)
    }
}
