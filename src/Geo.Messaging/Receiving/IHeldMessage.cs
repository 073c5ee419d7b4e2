namespace Geo.Messaging;

/// <summary>A message in memory that its lane's <see cref="LargeInbox"/> keeps account of, until it is released.</summary>
internal interface IHeldMessage
{
    /// <summary>The header of its frame.</summary>
    FrameHeader Header { get; }

    /// <summary>What stands between header and payload.</summary>
    byte[] Preface { get; }

    /// <summary>Its payload, in the pooled buffer that holds it; none once that has been given away.</summary>
    ReadOnlyMemory<byte> Payload { get; }

    /// <summary>Its handler begins, or never will: the remote may send as much again.</summary>
    void Begin();

    /// <summary>Gives the buffer away, which no longer counts here; null when it has been given away.</summary>
    byte[]? Detach();

    /// <summary>Gives the buffer back to the pool.</summary>
    void Release();
}
