namespace Geo;

/// <summary>
/// The name of a cluster, unique within a multi-cluster. Ordered by ordinal comparison of the name: this is the total
/// precedence order that settles races between clusters (GEO section 3.1, race arbitration).
/// </summary>
public readonly record struct ClusterId : IComparable<ClusterId>
{
    /// <summary>The longest name allowed, in characters.</summary>
    public const int MaxLength = 63;

    private readonly string? _name;

    /// <summary>Creates the identity of a cluster from its name.</summary>
    /// <param name="name">1 to <see cref="MaxLength"/> characters: ASCII letters, digits, '-', '_' and '.'.</param>
    /// <exception cref="ArgumentException">The name is empty, too long or holds another character.</exception>
    public ClusterId(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length is 0 or > MaxLength || !name.All(IsNameCharacter))
        {
            throw new ArgumentException(
                $"'{name}' is not a cluster id: use 1 to {MaxLength} ASCII letters, digits, '-', '_' or '.'.", nameof(name));
        }

        _name = name;
    }

    /// <summary>The name; empty for <c>default(ClusterId)</c>, which names no cluster.</summary>
    public string Name => _name ?? "";

    /// <summary>True for <c>default(ClusterId)</c>, which names no cluster.</summary>
    public bool IsNone => _name is null;

    /// <inheritdoc/>
    public int CompareTo(ClusterId other) => string.CompareOrdinal(Name, other.Name);

    /// <inheritdoc/>
    public override string ToString() => Name;

    /// <summary>True when <paramref name="left"/> comes before <paramref name="right"/> in the precedence order.</summary>
    public static bool operator <(ClusterId left, ClusterId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> comes after <paramref name="right"/> in the precedence order.</summary>
    public static bool operator >(ClusterId left, ClusterId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> is not after <paramref name="right"/> in the precedence order.</summary>
    public static bool operator <=(ClusterId left, ClusterId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> is not before <paramref name="right"/> in the precedence order.</summary>
    public static bool operator >=(ClusterId left, ClusterId right) => left.CompareTo(right) >= 0;

    private static bool IsNameCharacter(char c) => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.';
}
