using Geo.Directory;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Orleans.Serialization;
using Orleans.Serialization.Invocation;

namespace Geo.Orleans;

/// <summary>
/// Runs the calls that other clusters carry here: of single-instance grains where the directory says that the instance is in this cluster,
/// and of ordinary grains and observers at home here. Whichever silo the call arrives at, Orleans takes it to the activation or client.
/// </summary>
internal sealed class CallReceiver(
    GeoSilo silo, ClusterSilo siblings, TrackedActivations activations, IGrainFactory grains, GlobalSingleGrains singles,
    PartialGrains placed, InterfaceVersions versions,
    Serializer serializer, CallLimits limits, IOptions<GeoOrleansOptions> options, ILogger<CallReceiver> logger)
{
    /// <summary>The service under which calls are carried: a name of this host's form of them, which no other host reads.</summary>
    public const string Service = "geo.orleans.call";

    /// <summary>The channel of carried calls, apart from rounds and notices, which never wait behind a call's large arguments.</summary>
    public const string Channel = "geo.calls";

    // Other silos of this cluster with instances that carried calls have found by way of the rows.
    private readonly KnownPlaces<string> _nodes = new(limits.MaxRoutes);
    private int _running;

    public async ValueTask<ReadOnlyMemory<byte>> HandleAsync(ClusterMessage message, CancellationToken cancellationToken) =>
        (await AnswerAsync(message, cancellationToken)).Encode();

    /// <summary>Runs a call and waits for its end; the call is cancelled where its caller no longer waits.</summary>
    public async ValueTask<CarriedReply> AnswerAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        if (Interlocked.Increment(ref _running) > options.Value.MaxCarriedCalls)
        {
            Interlocked.Decrement(ref _running);
            OrleansMetrics.CallsRefused.Add(1);
            return CarriedReply.Refused($"a silo there runs {options.Value.MaxCarriedCalls} carried calls, which is its limit");
        }

        try
        {
            return await RunAsync(message, cancellationToken);
        }
        finally
        {
            Interlocked.Decrement(ref _running);
        }
    }

    private async ValueTask<CarriedReply> RunAsync(ClusterMessage message, CancellationToken cancellationToken)
    {
        CallFrame call;
        try
        {
            call = CallFrame.Decode(message.Payload.Span, message.From, serializer);
        }
        catch (GeoSerializationException e)
        {
            logger.CarriedCallUnreadable(message.From, e);
            return CarriedReply.Refused(e.Message);
        }

        GrainTraces.Handles(call.Grain.Type);
        using (call.Request)
        {
            if (call.InterfaceVersion > 0 && versions.NewestHere(call.Request.GetInterfaceType()) is var newest
                && call.InterfaceVersion > newest)
            {
                return CarriedReply.Refused(
                    $"the caller has version {call.InterfaceVersion} of {call.Request.GetInterfaceName()}, and the newest one there is "
                    + $"{newest}; "
                    + "update that cluster first");
            }

            using var cancelling = message.GivenUp.UnsafeRegister(static request => ((IInvokable)request!).TryCancel(), call.Request);
            var target = GrainNames.ToGrainId(call.Grain);

            if (!placed.IsHere(target))
            {
                // By the configuration of its sender it is.
                return CarriedReply.NotHere;
            }

            // An observer is where its client is, and an ordinary grain in its cluster. They are called before anything is awaited, so that
            // their calls run in the order of arrival.
            if (target.Type.IsClient() || !singles.MayBeSingle(target.Type))
            {
                using var response = await InvokeAsync(call, target);
                return IsLost(response, call)
                    ? CarriedReply.Unknown(response.Exception!.Message)
                    : CarriedReply.Answered(Write(response, call));
            }

            return await FollowAsync(call, target, message.From, cancellationToken);
        }
    }

    private async ValueTask<CarriedReply> FollowAsync(
        CallFrame call, GrainId target, ClusterId from, CancellationToken cancellationToken)
    {
        Response? response = null;
        try
        {
            string? refusal = null;
            var effect = new CallEffect(CallStep.LookUp);
            for (var way = CallFollowing.Arrived; ;)
            {
                if (!effect.Forget.IsNone)
                {
                    siblings.Forget(call.Grain, effect.Forget);
                }

                CallEvent happened;
                switch (effect.Step)
                {
                    case CallStep.LookUp:
                        (happened, refusal) = await LookUpAsync(call.Grain, target, cancellationToken);
                        break;

                    case CallStep.RunHere:
                        response?.Dispose();
                        response = await InvokeAsync(call, target, singles.FollowsCallers(target.Type) ? from : default);
                        happened = CallEventKind.Answered;
                        if (response.Exception is GeoRedirectException redirect && redirect.Grain == call.Grain)
                        {
                            happened = CallEvent.FoundElsewhere(redirect.Cluster);
                            _nodes.Forget(target);
                        }
                        else if (IsLost(response, call))
                        {
                            happened = CallEventKind.Unknown;
                            _nodes.Forget(target);
                        }

                        break;

                    case CallStep.Answer:
                        return CarriedReply.Answered(Write(response!, call));

                    case CallStep.ReplyNotHere:
                        return CarriedReply.NotHere;

                    case CallStep.ReportUnknown:
                        return CarriedReply.Unknown(response!.Exception!.Message);

                    default:
                        return CarriedReply.Refused(refusal ?? "it keeps moving there");
                }

                (way, effect) = way.On(happened, limits.Following);
            }
        }
        finally
        {
            response?.Dispose();
        }
    }

    /// <summary>
    /// An instance that runs needs no word of the rows: its own silo looks at its lease before it answers. Where a silo of this cluster is
    /// only remembered to have had it, it is asked: after the instance has ended this cluster has no better claim to the next one than the
    /// caller's, and may not even be able to begin it.
    /// </summary>
    private async ValueTask<(CallEvent Found, string? Refusal)> LookUpAsync(
        GrainKey grain, GrainId target, CancellationToken cancellationToken)
    {
        var mode = singles.ModeOf(target.Type) ?? SingleInstanceMode.Optimistic;
        var lease = mode == SingleInstanceMode.Quorum ? silo.Directories.Quorum?.HeldOf(grain)?.Guard : siblings.Guard;
        if (activations.TakesCalls(target) && lease is { MayServe: true })
        {
            return (CallEventKind.FoundHere, null);
        }

        if (_nodes.TryGet(target, out var node))
        {
            if (await siblings.HasInstanceAsync(node, grain, cancellationToken))
            {
                return (CallEventKind.FoundHere, null);
            }

            _nodes.Forget(target, node);
        }

        if (silo.Directories.Find(mode) is not { } directory)
        {
            // The silo on which the instance is placed asks the directory that this one does not have.
            return (CallEventKind.FoundHere, null);
        }

        try
        {
            if (await directory.FindHereAsync(grain, cancellationToken) is not { Node: { } found })
            {
                return (CallEventKind.FoundNowhere, null);
            }

            if (found != siblings.Local)
            {
                _nodes.Remember(target, found);
            }

            return (CallEventKind.FoundHere, null);
        }
        catch (GeoUnavailableException e)
        {
            return (CallEventKind.NotFound, e.Message);
        }
    }

    private async ValueTask<Response> InvokeAsync(CallFrame call, GrainId target, ClusterId origin = default)
    {
        RequestContextExtensions.Import(call.Context);
        if (!origin.IsNone)
        {
            CarriedCall.TellOrigin(origin);
        }

        call.Request.SetTarget(new ReferenceHolder(grains.GetGrain(target), call.Request.GetInterfaceType()));
        ValueTask<Response> running;
        using (CarriedCall.Arrive(target))
        {
            running = call.Request.Invoke();
        }

        return await running;
    }

    /// <summary>True when Orleans has ended the call, and not the grain. The request that has arrived here is one itself.</summary>
    private static bool IsLost(Response response, CallFrame call) => LostAnswers.Is(response.Exception, call.Request, requests: 1);

    /// <summary>The answer as it travels. Where it cannot, the caller is told so, for the call has run.</summary>
    private ReadOnlyMemory<byte> Write(Response response, CallFrame call)
    {
        byte[] bytes;
        try
        {
            bytes = serializer.SerializeToArray<object>(response);
        }
#pragma warning disable CA1031 // Types of the application are written here; whatever they throw is the caller's to know.
        catch (Exception e)
#pragma warning restore CA1031
        {
            return response.Exception is { } thrown
                ? Refusal($"is {thrown.GetType()}, which cannot be serialized, with the message: {thrown.Message}", thrown)
                : Refusal($"cannot be serialized ({e.Message}); mark its type with [GenerateSerializer]", e);
        }

        return bytes.Length <= limits.MaxBytes
            ? bytes
            : Refusal(
                $"takes {bytes.Length:N0} bytes, and at most {limits.MaxBytes:N0} travel to another cluster "
                + $"({nameof(GeoOrleansOptions.MaxCallBytes)}); ask for less at a time, or raise the limit in all clusters");

        byte[] Refusal(string why, Exception? cause = null)
        {
            logger.AnswerNotCarried(call.Grain, why, cause);
            using var refusal = Response.FromException(
                new GeoSerializationException(
                    $"The call of {call.Request.GetActivityName()} on '{call.Grain}' ran, but its answer {why}."));
            return serializer.SerializeToArray<object>(refusal);
        }
    }
}
