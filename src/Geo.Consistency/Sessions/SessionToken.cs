using System.Buffers;
using System.Buffers.Text;
using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;
using Geo.Consistency.Lattices;

namespace Geo.Consistency;

/// <summary>
/// What a session has read and written: a later read that is given the token sees at least that, in whichever cluster. Opaque, immutable,
/// and at most <see cref="MaxBytes"/> bytes (86 characters): enough for three volatile grains of several instances, or seven that are
/// stored; those used last are kept. After more than these, reads of grains that the token does not name are linearizable. Unconfirmed
/// updates are kept before all else, those of the last four grains or more. What a session has seen of coordination-free grains
/// (<see cref="ILatticeSession.Token"/>) comes on top: 12 bytes or more for each of up to 255 replicas that live, or whose updates are not
/// everywhere yet.
/// </summary>
[JsonConverter(typeof(SessionTokenJson))]
public sealed class SessionToken : IEquatable<SessionToken>
{
    /// <summary>The most bytes that a token takes for versioned grains.</summary>
    public const int MaxBytes = 64;

    private const int MaxBytesInAll = MaxBytes + LatticeMarksCodec.MaxBytes;

    // However large their numbers are.
    private const int SurelyFit = 2;

    private readonly ImmutableArray<SessionMark> _marks;
    private byte[]? _bytes;

    private SessionToken(ImmutableArray<SessionMark> marks, bool isIncomplete, LatticeMarks? lattices)
    {
        (_marks, IsIncomplete, Lattices) = (marks, isIncomplete, lattices);
        while (_marks.Length > SurelyFit && SessionTokenCodec.Write(_marks.AsSpan(), IsIncomplete, null).Length > MaxBytes)
        {
            // What is confirmed can be read linearizably instead, if nothing confirmed is kept of the grain; what is not is seen nowhere
            // else.
            IsIncomplete = true;
            var last = _marks.LastOrDefault(m => !m.IsPending, _marks[^1]);
            _marks = last.IsPending ? _marks.RemoveAt(_marks.Length - 1) : _marks.RemoveAll(m => !m.IsPending && m.Grain == last.Grain);
        }
    }

    /// <summary>The token of a session that has read and written nothing.</summary>
    public static SessionToken None { get; } = new([], false, null);

    /// <summary>True for a session that has read and written nothing.</summary>
    public bool IsNone => _marks.IsEmpty && !IsIncomplete && Lattices is null;

    /// <summary>True when grains were left out.</summary>
    internal bool IsIncomplete { get; }

    /// <summary>What the session has read and written of coordination-free grains; null for nothing.</summary>
    internal LatticeMarks? Lattices { get; }

    private byte[] Bytes => _bytes ??= SessionTokenCodec.Write(_marks.AsSpan(), IsIncomplete, Lattices);

    /// <summary>Reads what <see cref="ToString"/> gave; null or nothing is <see cref="None"/>.</summary>
    /// <exception cref="FormatException">The text is no token, or one of a build that does not fit.</exception>
    public static SessionToken Parse(string? text) =>
        TryParse(text, out var token) ? token : throw new FormatException("The text is not a session token of this version of Geo.");

    /// <summary>
    /// Reads what <see cref="ToString"/> gave, as a front end gets it from outside; null or nothing is <see cref="None"/>.
    /// </summary>
    /// <returns>False when the text is no token, or one of a build that does not fit.</returns>
    public static bool TryParse(string? text, [NotNullWhen(true)] out SessionToken? token)
    {
        token = None;
        if (string.IsNullOrEmpty(text))
        {
            return true;
        }

        Span<byte> bytes = stackalloc byte[MaxBytesInAll];
        token = text.Length <= (MaxBytesInAll * 4 / 3) + 1
            && Base64Url.DecodeFromChars(text, bytes, out _, out var length) == OperationStatus.Done
            && SessionTokenCodec.TryRead(bytes[..length], out var marks, out var isIncomplete, out var lattices)
            ? new(marks, isIncomplete, lattices) : null;
        return token is not null;
    }

    /// <summary>
    /// The token of a session that has read and written what both have; what <paramref name="newer"/> names counts as used last.
    /// </summary>
    public SessionToken Merge(SessionToken newer)
    {
        ArgumentNullException.ThrowIfNull(newer);
        return new SessionToken(MarksBeside(newer), IsIncomplete, Lattices)
            .With(newer.MarksBeside(this).AsSpan(), newer.IsIncomplete, newer.Lattices);
    }

    /// <summary>
    /// This token after a call that was given <paramref name="sent"/> and gave <paramref name="received"/> back: what the call found
    /// confirmed is no longer kept as unconfirmed, what it found in a later leader's history not as another's; other calls' marks stay.
    /// </summary>
    public SessionToken After(SessionToken sent, SessionToken received)
    {
        ArgumentNullException.ThrowIfNull(sent);
        ArgumentNullException.ThrowIfNull(received);
        var settled = sent._marks.Where(
            m => m.IsPending ? !received._marks.Contains(m) : received._marks.Any(r => r.Follows(m))).ToArray();
        var lattices = (Lattices, sent.Lattices, received.Lattices) is ({ } here, { } there, { } back) ? here.After(there, back) : null;
        var marks = Equals(sent) ? received._marks : received.MarksBeside(this);
        var merged = new SessionToken(_marks.RemoveRange(settled), IsIncomplete, Lattices)
            .With(marks.AsSpan(), received.IsIncomplete, received.Lattices);
        return lattices is null ? merged : merged.With(lattices);
    }

    /// <summary>This token without what it says of a grain: how a session goes on after a <see cref="SessionLostException"/>.</summary>
    public SessionToken Without(GrainKey grain) => Replace(SessionMark.HashOf(grain));

    /// <inheritdoc/>
    public bool Equals(SessionToken? other) => other is not null && Bytes.AsSpan().SequenceEqual(other.Bytes);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as SessionToken);

    /// <inheritdoc/>
    public override int GetHashCode() => ToString().GetHashCode(StringComparison.Ordinal);

    /// <summary>The token in the letters of URLs and headers; empty for <see cref="None"/>.</summary>
    public override string ToString() => IsNone ? "" : Base64Url.EncodeToString(Bytes);

    /// <summary>The token of a session that has seen one version of one grain.</summary>
    internal static SessionToken Of(SessionMark only) => new([only], false, null);

    /// <summary>What the session has read and written of a grain.</summary>
    internal IEnumerable<SessionMark> Of(ulong grain) => _marks.Where(m => m.Grain == grain);

    /// <summary>The same for other grains; of one grain, what is given.</summary>
    internal SessionToken Replace(ulong grain, params ReadOnlySpan<SessionMark> marks) =>
        new SessionToken(_marks.RemoveAll(m => m.Grain == grain), IsIncomplete, Lattices).With(marks, false, null);

    /// <summary>The same for versioned grains; of coordination-free ones, what is given.</summary>
    internal SessionToken With(LatticeMarks lattices) => new(_marks, IsIncomplete, lattices);

    /// <summary>
    /// What is marked, but for the versions of grains of which another token may have left out a later one: named by an earlier one, they
    /// would not be read linearizably any more.
    /// </summary>
    private ImmutableArray<SessionMark> MarksBeside(SessionToken other) => !other.IsIncomplete ? _marks : _marks.RemoveAll(
        m => !m.IsPending && !other._marks.Any(o => !o.IsPending && o.Grain == m.Grain));

    private SessionToken With(ReadOnlySpan<SessionMark> marks, bool isIncomplete, LatticeMarks? lattices)
    {
        var merged = _marks.ToBuilder();
        for (var i = marks.Length - 1; i >= 0; i--)
        {
            var mark = marks[i];
            for (var j = merged.Count - 1; j >= 0; j--)
            {
                if (merged[j].IsAlike(mark))
                {
                    mark = mark.With(merged[j]);
                    merged.RemoveAt(j);
                }
            }

            merged.Insert(0, mark);
        }

        return new(
            merged.ToImmutable(), IsIncomplete || isIncomplete, lattices is null ? Lattices : Lattices?.Merge(lattices) ?? lattices);
    }
}
