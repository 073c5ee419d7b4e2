namespace Geo.Messaging;

/// <summary>Which connection of a link it is.</summary>
/// <param name="Channel">The channel it is for.</param>
/// <param name="Number">Which of the channel's connections, from 0.</param>
internal readonly record struct LaneId(string Channel, int Number)
{
    public override string ToString() => $"{Channel}/{Number}";
}
