/// The plans that the service sells, as the numbers that servers carry.
///
/// A tier is a plain integer everywhere else, so that one this program does not know is not an
/// error.
public enum ServerTier {
    /// For everybody with an account.
    public static let free = 0
    /// A plan of the past; its servers still exist.
    public static let basic = 1
    /// For those who pay.
    public static let plus = 2
    /// For the service's own people.
    public static let `internal` = 3
}
