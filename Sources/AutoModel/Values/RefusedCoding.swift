/// The coding of a property that holds models, which a column can't store. Generated code with this
/// coding fails to compile only in the description of the table, so that the compiler reports one
/// error per property.
///
/// For code that the macro generates.
public struct RefusedModelList<Value: Sendable>: Sendable {
    @usableFromInline init() {}
}

/// Like ``RefusedModelList``, for a property that holds one model.
public struct RefusedModel<Value: Sendable>: Sendable {
    @usableFromInline init() {}
}

/// Like ``RefusedModelList``, for a property whose type isn't `Codable`.
public struct RefusedValue<Value: Sendable>: Sendable {
    @usableFromInline init() {}
}

@_disfavoredOverload
public func _autoCoding<Owner, Value: Sendable>(
    _ property: (Owner) -> Value
) -> RefusedValue<Value> { RefusedValue() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> [Target]
) -> RefusedModelList<[Target]> { RefusedModelList() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> Set<Target>
) -> RefusedModelList<Set<Target>> { RefusedModelList() }

public func _autoCoding<Owner, Key: Hashable & Sendable, Target: AutoObject>(
    _ property: (Owner) -> [Key: Target]
) -> RefusedModelList<[Key: Target]> { RefusedModelList() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> Target
) -> RefusedModel<Target> { RefusedModel() }

public func _autoCoding<Owner, Target: AutoObject>(
    _ property: (Owner) -> Target?
) -> RefusedModel<Target?> { RefusedModel() }

extension TableDescription {
    @available(*, unavailable, message: "relate models with ManyToMany or Children")
    public mutating func column<Value>(
        _ name: String, default value: Value, _ coding: RefusedModelList<Value>,
        isLiteral: Bool = true, options: [ColumnOption] = [], formerly: [String] = []
    ) {}

    @available(*, unavailable, message: "refer to a model with Reference")
    public mutating func column<Value>(
        _ name: String, default value: Value, _ coding: RefusedModel<Value>,
        isLiteral: Bool = true, options: [ColumnOption] = [], formerly: [String] = []
    ) {}

    @available(
        *, unavailable, message: "make the property's type Codable, or leave it out with @Excluded"
    )
    public mutating func column<Value>(
        _ name: String, default value: Value, _ coding: RefusedValue<Value>,
        isLiteral: Bool = true, options: [ColumnOption] = [], formerly: [String] = []
    ) {}
}

// Generated code calls these methods with `try`, so they are declared to throw.

extension ColumnBinder {
    public mutating func bind<Value>(
        _ value: Value, _ column: Int, _ coding: RefusedModelList<Value>
    ) throws {}
    public mutating func bind<Value>(
        _ value: Value, _ column: Int, _ coding: RefusedModel<Value>
    ) throws {}
    public mutating func bind<Value>(
        _ value: Value, _ column: Int, _ coding: RefusedValue<Value>
    ) throws {}
}

extension ColumnReader {
    public mutating func read<Value>(
        _ value: inout Value, _ column: Int, _ coding: RefusedModelList<Value>
    ) throws {}
    public mutating func read<Value>(
        _ value: inout Value, _ column: Int, _ coding: RefusedModel<Value>
    ) throws {}
    public mutating func read<Value>(
        _ value: inout Value, _ column: Int, _ coding: RefusedValue<Value>
    ) throws {}
}

public func _autoColumn<Record, Value: Sendable>(
    _ record: Record.Type, _ name: String, _ coding: RefusedModelList<Value>
) -> ModelColumn<Record, Value> { ModelColumn(refused: name) }

public func _autoColumn<Record, Value: Sendable>(
    _ record: Record.Type, _ name: String, _ coding: RefusedModel<Value>
) -> ModelColumn<Record, Value> { ModelColumn(refused: name) }

public func _autoColumn<Record, Value: Sendable>(
    _ record: Record.Type, _ name: String, _ coding: RefusedValue<Value>
) -> ModelColumn<Record, Value> { ModelColumn(refused: name) }

extension ModelColumn {
    fileprivate init(refused name: String) {
        self.name = name
        coder = ValueCoder(
            encode: { _ in throw InvalidValue("a column can't store this type") },
            decode: { _ in throw InvalidValue("a column can't store this type") })
    }
}
