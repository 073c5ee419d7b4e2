namespace Geo.Messaging;

/// <summary>Takes the frames of a lane in the order of arrival.</summary>
internal interface IFrameSink
{
    /// <summary>A frame has arrived.</summary>
    /// <param name="header">Its header.</param>
    /// <param name="preface">
    /// What stands between header and payload: the name of the service and the trace context, valid during the call.
    /// </param>
    /// <param name="payload">The payload.</param>
    /// <param name="owned">True when the payload is an array of its own, which the sink may keep; else it is valid during the call.</param>
    /// <returns>Null to go on; else why the lane ends.</returns>
    string? OnFrame(FrameHeader header, ReadOnlySpan<byte> preface, ReadOnlyMemory<byte> payload, bool owned);

    /// <summary>Every whole frame of what was received has been handed over; the next receive waits for the sink.</summary>
    ValueTask OnReceivedAsync();
}
