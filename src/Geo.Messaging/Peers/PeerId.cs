namespace Geo.Messaging;

/// <summary>
/// The name of a peer: a silo or a client, the same through all its restarts. Unique among the peers that can meet; ordered by ordinal
/// comparison, which settles who keeps the connection when two peers dial each other at once. Where peers of several clusters have one name
/// all the same, what is sent to the name goes to a silo of the sender's
/// own cluster, else to one whose certificate is for that very name, else to a silo before a client, and among equals to who came first.
/// </summary>
public readonly record struct PeerId : IComparable<PeerId>
{
    /// <summary>The longest name allowed, in characters.</summary>
    public const int MaxLength = 127;

    private readonly string? _name;

    /// <summary>Creates the identity of a peer from its name, for example <c>us/1</c>.</summary>
    /// <param name="name">1 to <see cref="MaxLength"/> characters: ASCII letters, digits, '-', '_', '.', '/' and ':'.</param>
    /// <exception cref="ArgumentException">The name is empty, too long or holds another character.</exception>
    public PeerId(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length is 0 or > MaxLength || !name.All(IsNameCharacter))
        {
            throw new ArgumentException(
                $"'{name}' is not a peer id: use 1 to {MaxLength} ASCII letters, digits, '-', '_', '.', '/' or ':'.", nameof(name));
        }

        _name = name;
    }

    /// <summary>The name; empty for <c>default(PeerId)</c>, which names no peer.</summary>
    public string Name => _name ?? "";

    /// <summary>True for <c>default(PeerId)</c>, which names no peer.</summary>
    public bool IsNone => _name is null;

    /// <inheritdoc/>
    public int CompareTo(PeerId other) => string.CompareOrdinal(Name, other.Name);

    /// <inheritdoc/>
    public override string ToString() => Name;

    /// <summary>True when <paramref name="left"/> comes before <paramref name="right"/>.</summary>
    public static bool operator <(PeerId left, PeerId right) => left.CompareTo(right) < 0;

    /// <summary>True when <paramref name="left"/> comes after <paramref name="right"/>.</summary>
    public static bool operator >(PeerId left, PeerId right) => left.CompareTo(right) > 0;

    /// <summary>True when <paramref name="left"/> is not after <paramref name="right"/>.</summary>
    public static bool operator <=(PeerId left, PeerId right) => left.CompareTo(right) <= 0;

    /// <summary>True when <paramref name="left"/> is not before <paramref name="right"/>.</summary>
    public static bool operator >=(PeerId left, PeerId right) => left.CompareTo(right) >= 0;

    private static bool IsNameCharacter(char c) => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.' or '/' or ':';
}
