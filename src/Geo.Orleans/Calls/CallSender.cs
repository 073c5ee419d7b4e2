using System.Runtime.ExceptionServices;
using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>Sends calls to other clusters, and turns what comes back into the outcome that the caller sees.</summary>
internal sealed class CallSender(
    ICallCarrier carrier, Serializer serializer, DeepCopier copier, InterfaceVersions versions, CallLimits limits, TimeProvider time)
{
    /// <summary>Sends a call and waits for its end; the caller's cancellation follows it.</summary>
    /// <exception cref="GeoSerializationException">The call is too large to be carried; it did not run.</exception>
    public ValueTask<CarriedReply> CarryAsync(ClusterId to, GrainId target, IInvokable request)
    {
        OrleansMetrics.CallsCarried.Add(1);
        var frame = CallFrame.Encode(target, versions.Own(request.GetInterfaceType()), request, serializer, copier);
        return frame.Length <= limits.MaxBytes
            ? OrleansMetrics.CarriedDuration.Enabled ? MeasuredAsync(to, target, request, frame) : SendAsync(to, target, request, frame)
            : throw new GeoSerializationException(
                $"{Describe(request, target)} did not run: its arguments and context take {frame.Length:N0} bytes, and at most "
                + $"{limits.MaxBytes:N0} "
                + $"travel to another cluster ({nameof(GeoOrleansOptions.MaxCallBytes)}). Send less at a time, or raise the limit in all "
                + "clusters.");
    }

    /// <summary>What a reply that ends the call means to its caller.</summary>
    /// <exception cref="GeoSerializationException">The call ran, but its answer cannot be read.</exception>
    /// <exception cref="GeoUnavailableException">The call did not run.</exception>
    /// <exception cref="GeoOutcomeUnknownException">The call may have run.</exception>
    public Response Read(CarriedReply reply, ClusterId from, GrainId target, IInvokable request) => reply.Outcome switch
    {
        CarriedOutcome.Answered => Read(reply.Response, from, target, request),
        CarriedOutcome.NotHere => throw new GeoUnavailableException(
            $"{Describe(request, target)} did not run: cluster '{from}' does not know '{target}'."),
        CarriedOutcome.Refused => throw new GeoUnavailableException(
            $"{Describe(request, target)} did not reach cluster '{from}' ({reply.Reason})."),
        _ => throw new GeoOutcomeUnknownException(
            $"{Describe(request, target)} in cluster '{from}' had no answer ({reply.Reason}); it may have run. Read before trying again."),
    };

    private ValueTask<CarriedReply> SendAsync(ClusterId to, GrainId target, IInvokable request, ReadOnlyMemory<byte> frame) =>
        carrier.CarryAsync(to, GrainNames.ToKey(target), frame, request.GetDefaultResponseTimeout(), request.GetCancellationToken());

    private async ValueTask<CarriedReply> MeasuredAsync(ClusterId to, GrainId target, IInvokable request, ReadOnlyMemory<byte> frame)
    {
        var (began, outcome) = (time.GetTimestamp(), "canceled");
        try
        {
            var reply = await SendAsync(to, target, request, frame);
            outcome = reply.Outcome switch
            {
                CarriedOutcome.Answered => "done",
                CarriedOutcome.NotHere => "not-here",
                CarriedOutcome.Refused => "refused",
                _ => "unknown",
            };
            return reply;
        }
        finally
        {
            OrleansMetrics.CarriedDuration.Record(
                time.GetElapsedTime(began).TotalSeconds,
                new(GrainTraces.ClassTag, GrainNames.ToKey(target).Type),
                new("geo.region", to.Name),
                new KeyValuePair<string, object?>("geo.outcome", outcome));
        }
    }

    private Response Read(ReadOnlyMemory<byte> bytes, ClusterId from, GrainId target, IInvokable request)
    {
        Response response;
        try
        {
            using (ArrivingReferences.From(from))
            {
                response = serializer.Deserialize<object>(bytes) as Response ?? throw new InvalidDataException("it is no answer");
            }
        }
        catch (Exception e) when (e is not GeoException)
        {
            throw new GeoSerializationException(
                $"{Describe(request, target)} ran in cluster '{from}', but its answer cannot be read here ({e.Message}); run the same "
                + "version of its interface in all clusters.", e);
        }

        if (response.Exception is { } exception)
        {
            ExceptionDispatchInfo.Throw(exception);
        }

        return response;
    }

    private static string Describe(IInvokable request, GrainId target) => $"The call of {request.GetActivityName()} on '{target}'";
}
