namespace Geo.Messaging;

/// <summary>The fields of handshakes. Reading one that is damaged throws a <see cref="GeoSerializationException"/>.</summary>
internal static class HandshakeFields
{
    public static void WriteIdentity(this PayloadWriter writer, PeerIdentity identity)
    {
        writer.WriteText(identity.Peer.Name);
        writer.WriteText(identity.Cluster.Name);
        writer.WriteText(identity.ClusterInstance);
        writer.WriteSigned(identity.Incarnation);
    }

    public static PeerIdentity ReadIdentity(this ref PayloadReader reader)
    {
        var peer = reader.ReadPeerOrNone();
        return peer.IsNone
            ? throw new GeoSerializationException("A Geo handshake names no peer.")
            : new PeerIdentity(peer, reader.ReadCluster(), reader.ReadRequiredText(), reader.ReadSigned());
    }

    public static PeerId ReadPeerOrNone(this ref PayloadReader reader) => reader.ReadName(static name => new PeerId(name));

    public static ClusterId ReadCluster(this ref PayloadReader reader) => reader.ReadName(static name => new ClusterId(name));

    private static T ReadName<T>(this ref PayloadReader reader, Func<string, T> named)
        where T : struct
    {
        var name = reader.ReadRequiredText();
        try
        {
            return name.Length == 0 ? default : named(name);
        }
        catch (ArgumentException e)
        {
            throw new GeoSerializationException($"A Geo handshake holds a bad name. {e.Message}", e);
        }
    }

    public static ReadOnlyMemory<byte> ReadFacts(this ref PayloadReader reader) =>
        reader.ReadBytes() is { IsEmpty: false } facts ? facts.ToArray() : default;

    public static LaneId ReadLane(this ref PayloadReader reader) => new(reader.ReadRequiredText(), reader.ReadSmall());

    public static RefusalReason ReadReason(this ref PayloadReader reader)
    {
        var reason = (RefusalReason)reader.ReadSmall();
        return Enum.IsDefined(reason) ? reason : RefusalReason.Other;
    }

    public static int ReadSmall(this ref PayloadReader reader)
    {
        var value = reader.ReadUnsigned();
        return value <= int.MaxValue ? (int)value : throw new GeoSerializationException("A Geo handshake holds a number out of range.");
    }
}
