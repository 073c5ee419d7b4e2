using System.Text;

namespace Geo.Consistency;

/// <summary>What a session has read or written of one grain.</summary>
/// <param name="Grain">The grain, as 40 bits of its hash. Equal ones make a session wait in vain at most.</param>
/// <param name="Kind">What it says.</param>
/// <param name="Counter">The term's counter, 0 for a single instance; of what is pending, the number of the update.</param>
/// <param name="Owner">Who leads the term (16 bits of a hash), or the instance whose update is pending (32 bits).</param>
/// <param name="Version">The version; 0 of what is pending.</param>
internal readonly record struct SessionMark(ulong Grain, SessionMarkKind Kind, long Counter, uint Owner, long Version)
{
    internal static SessionMark Stored(ulong grain, long version) => new(grain, SessionMarkKind.Stored, 0, 0, version);

    internal static SessionMark Led(ulong grain, VersionBase version) =>
        new(grain, SessionMarkKind.Led, version.Term.Counter, OwnerOf(version.Term), version.Version);

    internal static SessionMark Single(ulong grain, long instance, long version) =>
        Single(grain, InstanceOf(instance), version);

    /// <inheritdoc cref="Single(ulong, long, long)"/>
    internal static SessionMark Single(ulong grain, uint instance, long version) =>
        new(grain, SessionMarkKind.Led, 0, instance & 0xffff, version);

    internal static SessionMark Pending(ulong grain, long instance, long sequence) =>
        new(grain, SessionMarkKind.Pending, sequence, InstanceOf(instance), 0);

    /// <summary>The hash of a grain.</summary>
    internal static ulong HashOf(GrainKey grain) => StableHash.Hash128(Encoding.UTF8.GetBytes(grain.ToString())).High >> 24;

    /// <summary>The hash of a term's owner.</summary>
    internal static uint OwnerOf(Term term) =>
        (uint)(StableHash.Hash128(Encoding.UTF8.GetBytes($"{term.Cluster}/{term.Incarnation}")).High >> 48);

    /// <summary>The hash of an instance.</summary>
    internal static uint InstanceOf(long instance) => (uint)(StableHash.Hash128(BitConverter.GetBytes(instance)).High >> 32);

    /// <summary>True when the other mark says the same of the same history, so that the later one says all.</summary>
    internal bool IsAlike(SessionMark other) =>
        Grain == other.Grain && Kind == other.Kind && (Kind == SessionMarkKind.Stored || Owner == other.Owner || IsOfAnotherTerm(other));

    /// <summary>The later one of two that are alike.</summary>
    internal SessionMark Later(SessionMark other) => (Counter, Version).CompareTo((other.Counter, other.Version)) >= 0 ? this : other;

    // Of two owners of one counter nobody can say from here which came later, nor of two single instances.
    private bool IsOfAnotherTerm(SessionMark other) => Kind == SessionMarkKind.Led && Counter != other.Counter;
}
