namespace Geo.Messaging.Overlays;

/// <summary>A frame on its way to one peer, which may be many links away.</summary>
/// <param name="Id">Its origin and number, another one each time the origin sends it.</param>
/// <param name="To">The peer it is for.</param>
/// <param name="Hops">The links it has crossed.</param>
/// <param name="Floods">True when it goes over every link, since the known way has lost one before.</param>
/// <param name="Payload">Its bytes.</param>
internal readonly record struct RoutedMessage(BroadcastId Id, PeerId To, int Hops, bool Floods, ReadOnlyMemory<byte> Payload)
{
    public void WriteTo(PayloadWriter writer)
    {
        Id.WriteTo(writer);
        writer.WriteText(To.Name);
        writer.WriteUnsigned((ulong)Hops);
        writer.WriteByte(Floods ? (byte)1 : (byte)0);
        writer.WriteBytes(Payload.Span);
    }

    public static RoutedMessage ReadFrom(ref PayloadReader reader) => new(
        BroadcastId.ReadFrom(ref reader),
        OverlayMember.ReadPeer(ref reader),
        (int)Math.Min(reader.ReadUnsigned(), byte.MaxValue) + 1,
        reader.ReadByte() != 0,
        reader.ReadBytes().ToArray());
}
