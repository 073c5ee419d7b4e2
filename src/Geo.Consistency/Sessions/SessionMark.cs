using System.Globalization;
using System.Text;

namespace Geo.Consistency;

/// <summary>What a session has read or written of one grain.</summary>
/// <param name="Grain">The grain, as 40 bits of its hash. Equal ones make a session wait in vain at most.</param>
/// <param name="Kind">What it says.</param>
/// <param name="Counter">The term's counter, 0 for a single instance; of what is pending, the number of the last update.</param>
/// <param name="Owner">Who leads the term (16 bits of a hash), or the instance whose updates are pending (32 bits).</param>
/// <param name="Version">The version; of what is pending, the number of the first update.</param>
internal readonly record struct SessionMark(ulong Grain, SessionMarkKind Kind, long Counter, uint Owner, long Version)
{
    private const int MaxOnStack = 512;
    private const int MaxDigits = 20;

    internal bool IsPending => Kind >= SessionMarkKind.Pending;

    /// <summary>The numbers of the updates that are pending.</summary>
    internal NumberRange Numbers => new(Version, Counter);

    internal static SessionMark Stored(ulong grain, long version) => new(grain, SessionMarkKind.Stored, 0, 0, version);

    internal static SessionMark Led(ulong grain, VersionBase version) =>
        new(grain, SessionMarkKind.Led, version.Term.Counter, OwnerOf(version.Term), version.Version);

    internal static SessionMark Single(ulong grain, long instance, long version) =>
        Single(grain, InstanceOf(instance), version);

    /// <inheritdoc cref="Single(ulong, long, long)"/>
    internal static SessionMark Single(ulong grain, uint instance, long version) =>
        new(grain, SessionMarkKind.Led, 0, instance & 0xffff, version);

    internal static SessionMark Pending(ulong grain, uint instance, NumberRange numbers, bool isOnCondition = false) => new(
        grain, isOnCondition ? SessionMarkKind.PendingOnCondition : SessionMarkKind.Pending, numbers.Last, instance, numbers.First);

    /// <summary>The hash of a grain.</summary>
    internal static ulong HashOf(GrainKey grain) => HashOf(grain.Type, grain.Key) >> 24;

    /// <summary>The hash of a term's owner.</summary>
    internal static uint OwnerOf(Term term)
    {
        Span<char> incarnation = stackalloc char[MaxDigits];
        _ = term.Incarnation.TryFormat(incarnation, out var digits, provider: CultureInfo.InvariantCulture);
        return (uint)(HashOf(term.Cluster.ToString(), incarnation[..digits]) >> 48);
    }

    /// <summary>The hash of an instance.</summary>
    internal static uint InstanceOf(long instance)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        _ = BitConverter.TryWriteBytes(bytes, instance);
        return (uint)(StableHash.Hash128(bytes).High >> 32);
    }

    /// <summary>The hash of two texts with a '/' between them. A read takes some: nothing is allocated unless they are long.</summary>
    private static ulong HashOf(ReadOnlySpan<char> first, ReadOnlySpan<char> second)
    {
        var most = Encoding.UTF8.GetMaxByteCount(first.Length + second.Length + 1);
        Span<byte> bytes = most <= MaxOnStack ? stackalloc byte[MaxOnStack] : new byte[most];
        var length = Encoding.UTF8.GetBytes(first, bytes);
        bytes[length++] = (byte)'/';
        length += Encoding.UTF8.GetBytes(second, bytes[length..]);
        return StableHash.Hash128(bytes[..length]).High;
    }

    /// <summary>True when the other mark speaks of the same history, term or instance, so that one says what both say.</summary>
    internal bool IsAlike(SessionMark other) =>
        Grain == other.Grain && Owner == other.Owner
        && (IsPending ? other.IsPending : Kind == other.Kind && Counter == other.Counter);

    /// <summary>The mark that says what two say that are alike.</summary>
    internal SessionMark With(SessionMark other)
    {
        if (!IsPending)
        {
            return Version >= other.Version ? this : other;
        }

        var numbers = Numbers.With(other.Numbers);
        return this with { Kind = Kind > other.Kind ? Kind : other.Kind, Counter = numbers.Last, Version = numbers.First };
    }

    /// <summary>
    /// True when a call that was given the other mark and gave this one has found the other one's version in this one's history. Of calls
    /// that were not given it nobody can say so: the later term may have begun below that version.
    /// </summary>
    internal bool Follows(SessionMark sent) =>
        Grain == sent.Grain && Kind == SessionMarkKind.Led && sent.Kind == SessionMarkKind.Led && Counter > sent.Counter;
}
