namespace Geo.Consistency;

/// <summary>What came of a hand-in, as far as was heard.</summary>
/// <param name="Answer">The answer.</param>
/// <param name="Told">The version that was told with it.</param>
/// <param name="Writer">Who wrote last instead of the one asked; nobody when that is not known.</param>
internal readonly record struct HandInReply(HandInAnswer Answer, CasNotification? Told, CasWriter Writer)
{
    /// <summary>Nobody wrote, or nobody said so.</summary>
    internal static HandInReply None { get; } = new(HandInAnswer.Refused, null, default);
}
