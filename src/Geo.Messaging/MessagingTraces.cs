using System.Diagnostics;

namespace Geo.Messaging;

/// <summary>
/// The spans of the messaging layer, under the source <c>Geo.Messaging</c>: one around each request (client) and one around each handler
/// (server; consumer for a one-way message), in one trace across the wire. Nothing is made while nobody listens.
/// </summary>
internal static class MessagingTraces
{
    public const string SourceName = GrainTraces.SourceName;

    private static readonly ActivitySource Source = new(SourceName);

    public static bool AreListenedTo => Source.HasListeners();

    /// <summary>Starts the span of a request, as the current one; null when it is not sampled.</summary>
    public static Activity? StartRequest(string service, PeerId local, PeerId remote, MessageOptions options)
    {
        var span = Tagged(Source.StartActivity($"request {service}", ActivityKind.Client), service, local, remote, options.Channel);
        return options.GrainClass is { } grainClass ? span?.SetTag(GrainTraces.ClassTag, grainClass) : span;
    }

    public static void EndRequest(Activity? span, string outcome, string? reason)
    {
        span?.SetTag("geo.outcome", outcome);
        span?.SetStatus(outcome == nameof(ReplyOutcome.Replied) ? ActivityStatusCode.Ok : ActivityStatusCode.Error, reason);
    }

    /// <summary>
    /// Starts the span around a handler, as the current one. A one-way message gets one only where its sender was part of a trace: it has
    /// nobody who waits for it, and a trace of its own would tell nothing.
    /// </summary>
    public static Activity? StartHandler(RunningHandler running, PeerId local, PeerId remote, LaneId lane)
    {
        if (!Source.HasListeners() || (!running.ExpectsReply && running.Trace == default))
        {
            return null;
        }

        var service = running.Handler.Service;
        var kind = running.ExpectsReply ? ActivityKind.Server : ActivityKind.Consumer;
        return Tagged(Source.StartActivity($"handle {service}", kind, running.Trace), service, local, remote, lane.Channel);
    }

    /// <summary>The trace that a message is part of; none while nobody listens.</summary>
    public static ActivityContext Of(FrameHeader header, ReadOnlySpan<byte> preface) =>
        header.IsTraced && Source.HasListeners() ? TraceContext.Of(header, preface) : default;

    /// <summary>Ends the span around a handler, and leaves what is current where it ends alone.</summary>
    public static void EndHandler(Activity? span, Exception? error)
    {
        if (span is null)
        {
            return;
        }

        if (error is not null)
        {
            span.AddException(error).SetStatus(ActivityStatusCode.Error, error.Message);
        }

        var current = Activity.Current;
        span.Dispose();
        Activity.Current = current == span ? null : current;
    }

    private static Activity? Tagged(Activity? span, string service, PeerId local, PeerId remote, string? channel)
    {
        if (span is { IsAllDataRequested: true })
        {
            span.SetTag("geo.service", service).SetTag("geo.peer", local.Name).SetTag("geo.remote", remote.Name);
            if (channel is not null)
            {
                span.SetTag("geo.channel", channel);
            }
        }

        return span;
    }
}
