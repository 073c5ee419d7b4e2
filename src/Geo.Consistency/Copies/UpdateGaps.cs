namespace Geo.Consistency;

/// <summary>Which of an instance's updates are, or may be, in no version, though later ones are; null stands for none.</summary>
/// <param name="Removed">From the first to the last that was taken out.</param>
/// <param name="Refused">From the first to the last that was raised on a condition and refused: none but who saw it before cares.</param>
internal sealed record UpdateGaps(NumberRange Removed, NumberRange Refused)
{
    private const byte HasRemoved = 1;
    private const byte HasRefused = 2;

    /// <summary>True when what a session has seen or raised of the instance may be among them.</summary>
    internal bool Concern(SessionMark pending) =>
        Removed.Overlaps(pending.Numbers)
        || (pending.Kind == SessionMarkKind.PendingOnCondition && Refused.Overlaps(pending.Numbers));

    /// <summary>Those of two tellings of one instance, with all that is between them.</summary>
    internal static UpdateGaps? Join(UpdateGaps? one, UpdateGaps? other) =>
        one is null ? other : other is null ? one : new(one.Removed.With(other.Removed), one.Refused.With(other.Refused));

    internal static void Write(PayloadWriter writer, UpdateGaps? gaps)
    {
        var (removed, refused) = (gaps?.Removed ?? default, gaps?.Refused ?? default);
        writer.WriteByte((byte)((removed.IsNone ? 0 : HasRemoved) | (refused.IsNone ? 0 : HasRefused)));
        Write(writer, removed);
        Write(writer, refused);
    }

    /// <exception cref="GeoSerializationException">The bytes are cut off, or no gaps.</exception>
    internal static UpdateGaps? Read(ref PayloadReader reader)
    {
        var kinds = reader.ReadByte();
        if (kinds > (HasRemoved | HasRefused))
        {
            throw new GeoSerializationException($"Updates cannot be missing in way {kinds}; the bytes were damaged.");
        }

        var removed = (kinds & HasRemoved) == 0 ? default : ReadRange(ref reader);
        var refused = (kinds & HasRefused) == 0 ? default : ReadRange(ref reader);
        return kinds == 0 ? null : new(removed, refused);
    }

    private static void Write(PayloadWriter writer, NumberRange numbers)
    {
        if (!numbers.IsNone)
        {
            writer.WriteUnsigned((ulong)numbers.First);
            writer.WriteUnsigned((ulong)numbers.Last);
        }
    }

    private static NumberRange ReadRange(ref PayloadReader reader)
    {
        var (first, last) = (reader.ReadUnsigned(), reader.ReadUnsigned());
        return first > 0 && first <= last && last <= long.MaxValue
            ? new((long)first, (long)last)
            : throw new GeoSerializationException($"Updates from number {first} to {last} cannot be missing; the bytes were damaged.");
    }
}
