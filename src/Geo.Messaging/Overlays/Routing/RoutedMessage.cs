namespace Geo.Messaging.Overlays;

/// <summary>A message on its way to one peer.</summary>
/// <param name="Id">Its origin and number: one origin's numbers grow.</param>
/// <param name="To">The peer it is for.</param>
/// <param name="Hops">The links it has crossed.</param>
/// <param name="Payload">Its bytes.</param>
internal readonly record struct RoutedMessage(BroadcastId Id, PeerId To, int Hops, ReadOnlyMemory<byte> Payload)
{
    public void WriteTo(PayloadWriter writer)
    {
        Id.WriteTo(writer);
        writer.WriteText(To.Name);
        writer.WriteUnsigned((ulong)Hops);
        writer.WriteBytes(Payload.Span);
    }

    public static RoutedMessage ReadFrom(ref PayloadReader reader) =>
        new(BroadcastId.ReadFrom(ref reader), OverlayMember.ReadPeer(ref reader), (int)Math.Min(reader.ReadUnsigned(), byte.MaxValue) + 1, reader.ReadBytes().ToArray());
}
