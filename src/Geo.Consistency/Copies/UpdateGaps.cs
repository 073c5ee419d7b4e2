namespace Geo.Consistency;

/// <summary>Which of an instance's updates are, or may be, in no version, though later ones are; null stands for none.</summary>
/// <param name="Removed">Those that were taken out.</param>
/// <param name="Refused">Those that were raised on a condition and refused: none but who saw them before cares.</param>
internal sealed record UpdateGaps(NumberRanges Removed, NumberRanges Refused)
{
    /// <summary>True when what a session has seen or raised of the instance may be among them.</summary>
    internal bool Concern(SessionMark pending) =>
        Removed.Overlap(pending.Numbers)
        || (pending.Kind == SessionMarkKind.PendingOnCondition && Refused.Overlap(pending.Numbers));

    /// <summary>Those of two tellings of one instance.</summary>
    internal static UpdateGaps? Join(UpdateGaps? one, UpdateGaps? other) =>
        one is null ? other : other is null ? one : new(one.Removed.With(other.Removed), one.Refused.With(other.Refused));

    internal static void Write(PayloadWriter writer, UpdateGaps? gaps)
    {
        (gaps?.Removed ?? default).Write(writer);
        (gaps?.Refused ?? default).Write(writer);
    }

    /// <exception cref="GeoSerializationException">The bytes are cut off, or no gaps.</exception>
    internal static UpdateGaps? Read(ref PayloadReader reader)
    {
        var (removed, refused) = (NumberRanges.Read(ref reader), NumberRanges.Read(ref reader));
        return removed.IsNone && refused.IsNone ? null : new(removed, refused);
    }
}
