using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Geo.Storage.Quorum;

/// <summary>
/// The number of one attempt at a value. Ordered by the version of the configuration, then the counter, then the proposer, a number that
/// each start of a process draws anew, so that no ballot is used twice.
/// </summary>
/// <param name="Version">The version of the configuration whose majority it asks.</param>
/// <param name="Counter">Grows with each attempt of a proposer, and past each refusal.</param>
/// <param name="Proposer">Tells proposers apart.</param>
internal readonly record struct Ballot(long Version, long Counter, ulong Proposer) : IComparable<Ballot>
{
    /// <summary>Below every ballot: nothing promised, nothing accepted.</summary>
    public static Ballot None => default;

    public bool IsNone => this == None;

    public static bool operator <(Ballot left, Ballot right) => left.CompareTo(right) < 0;

    public static bool operator >(Ballot left, Ballot right) => left.CompareTo(right) > 0;

    public static bool operator <=(Ballot left, Ballot right) => left.CompareTo(right) <= 0;

    public static bool operator >=(Ballot left, Ballot right) => left.CompareTo(right) >= 0;

    public static Ballot Max(Ballot one, Ballot other) => one > other ? one : other;

    /// <summary>Reads what <see cref="ToString"/> wrote, and nothing else.</summary>
    public static bool TryParse([NotNullWhen(true)] string? text, out Ballot ballot)
    {
        ballot = None;
        var parts = (text ?? "").Split('.');
        if (parts.Length != 3
            || !long.TryParse(parts[0], NumberStyles.None, CultureInfo.InvariantCulture, out var version)
            || !long.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out var counter)
            || !ulong.TryParse(parts[2], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var proposer))
        {
            return false;
        }

        ballot = new(version, counter, proposer);
        return ballot.ToString() == text;
    }

    public int CompareTo(Ballot other) =>
        Version != other.Version ? Version.CompareTo(other.Version)
        : Counter != other.Counter ? Counter.CompareTo(other.Counter)
        : Proposer.CompareTo(other.Proposer);

    /// <summary>Its text, which is also the etag of the value that it first proposed.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Version}.{Counter}.{Proposer:x}");
}
