using System.Collections.Immutable;

namespace Geo.Consistency;

/// <summary>When a leader began to lead: its term, and the version it began from.</summary>
internal readonly record struct LeaderTerm(long Term, long Version);

/// <summary>
/// A version of a grain's state in memory, with all that makes it safe to go on from: the last terms, and which batches it holds.
/// </summary>
/// <param name="Terms">
/// The newest terms of its history, oldest first; the last one is the term of the version. Empty before any leader.
/// </param>
/// <param name="Version">The version.</param>
/// <param name="Applied">The last batch of each instance that the version holds; see <see cref="BatchNumber"/>.</param>
/// <param name="State">The state's bytes; none for version 0.</param>
internal readonly record struct LeaderSnapshot(
    ImmutableArray<LeaderTerm> Terms, long Version, AppliedTable Applied, ReadOnlyMemory<byte> State)
{
    /// <summary>How many terms are kept: enough to tell an instance that was cut off for that many leaders what it lost.</summary>
    private const int MaxTerms = 8;

    internal static readonly LeaderSnapshot Nothing = new([], 0, AppliedTable.Empty, default);

    internal long Term => Terms.IsEmpty ? 0 : Terms[^1].Term;

    /// <summary>A newer leader's history wins over an older one's, within a term the higher version does.</summary>
    internal bool IsNewerThan(long term, long version) => Term > term || (Term == term && Version > version);

    /// <summary>How many versions that an instance knew are not part of this history.</summary>
    internal long VersionsLost(long knownTerm, long knownVersion)
    {
        var shared = knownVersion;
        foreach (var term in Terms)
        {
            if (term.Term > knownTerm)
            {
                shared = Math.Min(shared, term.Version);
            }
        }

        return knownVersion - shared;
    }

    /// <summary>The terms after a new leader begins from a version.</summary>
    internal static ImmutableArray<LeaderTerm> Begin(ImmutableArray<LeaderTerm> terms, long term, long version)
    {
        var next = terms.Add(new(term, version));
        return next.Length > MaxTerms ? next.RemoveAt(0) : next;
    }

    internal void Write(PayloadWriter writer)
    {
        writer.WriteUnsigned((ulong)Terms.Length);
        foreach (var term in Terms)
        {
            writer.WriteUnsigned((ulong)term.Term);
            writer.WriteUnsigned((ulong)term.Version);
        }

        writer.WriteUnsigned((ulong)Version);
        Applied.Write(writer);
        State.Span.CopyTo(writer.GetSpan(State.Length));
        writer.Advance(State.Length);
    }

    /// <exception cref="GeoSerializationException">The bytes are not a snapshot.</exception>
    internal static LeaderSnapshot Read(ReadOnlyMemory<byte> payload)
    {
        if (payload.IsEmpty)
        {
            return Nothing;
        }

        var reader = new PayloadReader(payload.Span);
        var terms = ImmutableArray.CreateBuilder<LeaderTerm>(reader.ReadCount());
        for (var i = terms.Capacity; i > 0; i--)
        {
            terms.Add(new((long)reader.ReadUnsigned(), (long)reader.ReadUnsigned()));
        }

        var version = (long)reader.ReadUnsigned();
        var applied = AppliedTable.Read(ref reader);
        return new(terms.MoveToImmutable(), version, applied, payload[^reader.Rest.Length..]);
    }
}
