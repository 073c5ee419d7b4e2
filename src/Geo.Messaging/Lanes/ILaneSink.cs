namespace Geo.Messaging;

/// <summary>Takes the frames of a lane in the order of arrival.</summary>
internal interface ILaneSink
{
    /// <summary>A frame has arrived.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="preface">
    /// What stands between header and payload: the name of the service and the trace context, valid during the call.
    /// </param>
    /// <param name="payload">The payload, valid during the call.</param>
    /// <returns>Null to go on; else why the lane ends, which is a fault of the remote unless the frame says goodbye.</returns>
    string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload);

    /// <returns>What is wrong with it; null when it is sound.</returns>
    string? BeginPiece(ulong number, PieceHeader piece, out Memory<byte> into);

    void EndPiece(ulong number, PieceHeader piece);

    /// <summary>Every whole frame of what was received has been handed over; the next receive waits for the sink.</summary>
    ValueTask OnReceivedAsync();
}
