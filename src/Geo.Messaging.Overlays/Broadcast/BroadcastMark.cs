namespace Geo.Messaging.Overlays;

/// <summary>How far a peer is with the broadcasts of an origin.</summary>
/// <param name="Last">The latest one delivered, with all before it.</param>
/// <param name="FirstKept">
/// The earliest one that the peer can still give to others; one after <paramref name="Last"/> when it has none.
/// </param>
internal readonly record struct BroadcastMark(BroadcastId Last, ulong FirstKept)
{
    public void WriteTo(PayloadWriter writer)
    {
        Last.WriteTo(writer);
        writer.WriteUnsigned(FirstKept);
    }

    public static BroadcastMark ReadFrom(ref PayloadReader reader) => new(BroadcastId.ReadFrom(ref reader), reader.ReadUnsigned());
}
