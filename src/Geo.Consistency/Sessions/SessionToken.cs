using System.Buffers;
using System.Buffers.Text;
using System.Collections.Immutable;
using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;

namespace Geo.Consistency;

/// <summary>
/// What a session has read and written: a later read that is given the token sees at least that, in whichever cluster. Opaque, immutable,
/// and at most <see cref="MaxBytes"/> bytes (86 characters): enough for five or more grains, of which those used last are kept. After
/// more than these, reads of grains that the token does not name are linearizable. Unconfirmed updates are kept before all else, those of
/// the last five grains.
/// </summary>
[JsonConverter(typeof(SessionTokenJson))]
public sealed class SessionToken : IEquatable<SessionToken>
{
    /// <summary>The most bytes that a token takes.</summary>
    public const int MaxBytes = 64;

    // However large their numbers are.
    private const int SurelyFit = 2;

    private readonly ImmutableArray<SessionMark> _marks;
    private byte[]? _bytes;

    private SessionToken(ImmutableArray<SessionMark> marks, bool isIncomplete)
    {
        (_marks, IsIncomplete) = (marks, isIncomplete);
        while (_marks.Length > SurelyFit && Bytes.Length > MaxBytes)
        {
            // What is confirmed can be read linearizably instead; what is not is seen nowhere else.
            var last = _marks.Length - 1;
            while (last > 0 && _marks[last].Kind == SessionMarkKind.Pending)
            {
                last--;
            }

            last = _marks[last].Kind == SessionMarkKind.Pending ? _marks.Length - 1 : last;
            (_marks, IsIncomplete, _bytes) = (_marks.RemoveAt(last), true, null);
        }
    }

    /// <summary>The token of a session that has read and written nothing.</summary>
    public static SessionToken None { get; } = new([], false);

    /// <summary>True for a session that has read and written nothing.</summary>
    public bool IsNone => _marks.IsEmpty && !IsIncomplete;

    /// <summary>True when grains were left out.</summary>
    internal bool IsIncomplete { get; }

    private byte[] Bytes => _bytes ??= SessionTokenCodec.Write(_marks.AsSpan(), IsIncomplete);

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

        Span<byte> bytes = stackalloc byte[MaxBytes];
        token = text.Length <= (MaxBytes * 4 / 3) + 1
            && Base64Url.DecodeFromChars(text, bytes, out _, out var length) == OperationStatus.Done
            && SessionTokenCodec.TryRead(bytes[..length], out var marks, out var isIncomplete) ? new(marks, isIncomplete) : null;
        return token is not null;
    }

    /// <summary>
    /// The token of a session that has read and written what both have; what <paramref name="newer"/> names counts as used last.
    /// </summary>
    public SessionToken Merge(SessionToken newer)
    {
        ArgumentNullException.ThrowIfNull(newer);
        return With(newer._marks.AsSpan(), newer.IsIncomplete);
    }

    /// <summary>
    /// This token after a call that was given <paramref name="sent"/> and gave <paramref name="received"/> back: what the call found
    /// confirmed is no longer kept as unconfirmed, other calls' marks stay.
    /// </summary>
    public SessionToken After(SessionToken sent, SessionToken received)
    {
        ArgumentNullException.ThrowIfNull(sent);
        ArgumentNullException.ThrowIfNull(received);
        var settled = sent._marks.Where(m => m.Kind == SessionMarkKind.Pending).Except(received._marks).ToArray();
        return new SessionToken(_marks.RemoveRange(settled), IsIncomplete).Merge(received);
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

    /// <summary>What the session has read and written of a grain.</summary>
    internal IEnumerable<SessionMark> Of(ulong grain) => _marks.Where(m => m.Grain == grain);

    /// <summary>The same for other grains; of one grain, what is given.</summary>
    internal SessionToken Replace(ulong grain, params ReadOnlySpan<SessionMark> marks) =>
        new SessionToken(_marks.RemoveAll(m => m.Grain == grain), IsIncomplete).With(marks, false);

    private SessionToken With(ReadOnlySpan<SessionMark> marks, bool isIncomplete)
    {
        var merged = _marks.ToBuilder();
        for (var i = marks.Length - 1; i >= 0; i--)
        {
            var mark = marks[i];
            for (var j = merged.Count - 1; j >= 0; j--)
            {
                if (merged[j].IsAlike(mark))
                {
                    mark = mark.Later(merged[j]);
                    merged.RemoveAt(j);
                }
            }

            merged.Insert(0, mark);
        }

        return new(merged.ToImmutable(), IsIncomplete || isIncomplete);
    }
}
