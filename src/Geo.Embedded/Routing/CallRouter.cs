using Geo.Directory;

namespace Geo.Embedded;

/// <summary>
/// Takes each call to its grain: to the activation here, where there is one, without asking anybody; otherwise where the class's
/// attributes and, for single-instance grains, the directory say (GEO section 3.1).
/// </summary>
internal sealed class CallRouter(
    GrainClasses classes,
    Func<ActivationTable> activations,
    Func<GlobalDirectory> directory,
    IClusterMessenger messenger,
    Cancellations cancellations,
    Deadlines deadlines,
    GeoEmbeddedOptions options) : ICallRouter
{
    /// <summary>The service under which calls between clusters travel.</summary>
    public const string Service = "geo.call";

    private volatile string? _stopped = "has not started yet";

    /// <summary>Begins to take calls.</summary>
    public void Open() => _stopped = null;

    /// <summary>Takes no more calls.</summary>
    public void Close() => _stopped = "has stopped";

    /// <summary>Takes a call to its grain. Never throws: the call ends by what goes wrong.</summary>
    public void Route(GrainCall call)
    {
        try
        {
            if (_stopped is { } why)
            {
                throw new GeoUnavailableException($"The silo of cluster {messenger.LocalCluster} {why}; {call} was not executed.");
            }

            var grainClass = classes.Find(call.Target.Type);
            call.Target = new GrainKey(grainClass.TypeName, call.Target.Key);
            if (!grainClass.Methods.TryGetValue(call.Method.Id, out var method))
            {
                throw new GeoConfigurationException(
                    $"{call.Method.Signature} was called on {call.Target}, but its class {grainClass.Type.FullName} does not implement that interface.");
            }

            if (activations().TryGet(call.Target, out var activation) && activation.TryAccept(call, method.Kind))
            {
                EmbeddedMetrics.LocalCalls.Add(1);
            }
            else if (grainClass.Declaration.Instancing == Instancing.GlobalSingle)
            {
                RouteSingle(call, grainClass, method);
            }
            else
            {
                Activate(call, grainClass, method);
            }
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
    }

    public void Reroute(GrainCall call, string why, bool madeProgress)
    {
        if (!call.IsWanted())
        {
            return;
        }

        EmbeddedMetrics.ReroutedCalls.Add(1);
        if (madeProgress || ++call.Attempts < options.MaxRoutingAttempts)
        {
            Route(call);
        }
        else
        {
            Refuse(call, new GeoUnavailableException(
                $"{call} did not find its grain in {call.Attempts} attempts (MaxRoutingAttempts); last, {why}. It was not executed."));
        }
    }

    public void Forward(GrainCall call, ClusterId cluster)
    {
        if (call.IsForwarded)
        {
            // Sent here by mistake: its sender asks the directory again, so that no call travels in circles.
            call.NotHere();
            return;
        }

        EmbeddedMetrics.ForwardedCalls.Add(1);
        _ = ForwardAsync(call, cluster);
    }

    private void RouteSingle(GrainCall call, GrainClass grainClass, BoundMethod method)
    {
        var lookup = directory().LookupAsync(call.Target, call.Cancellation);
        if (lookup.IsCompletedSuccessfully)
        {
            RouteSingle(call, grainClass, method, lookup.Result);
        }
        else
        {
            _ = RouteSingleAsync(call, grainClass, method, lookup);
        }
    }

    private async Task RouteSingleAsync(GrainCall call, GrainClass grainClass, BoundMethod method, ValueTask<Placement?> lookup)
    {
        try
        {
            RouteSingle(call, grainClass, method, await lookup.ConfigureAwait(false));
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
    }

    private void RouteSingle(GrainCall call, GrainClass grainClass, BoundMethod method, Placement? placement)
    {
        if (placement is { Kind: PlacementKind.Elsewhere } elsewhere)
        {
            Forward(call, elsewhere.Cluster);
        }
        else if (placement is null && call.IsForwarded)
        {
            call.NotHere();
        }
        else
        {
            // The activation acquires the row itself, within its own life. A forwarded call comes here, too, when the row is this silo's
            // and no instance is: nobody else may activate the grain then.
            Activate(call, grainClass, method);
        }
    }

    private void Activate(GrainCall call, GrainClass grainClass, BoundMethod method)
    {
        if (activations().GetOrBegin(call.Target, grainClass).TryAccept(call, method.Kind))
        {
            EmbeddedMetrics.LocalCalls.Add(1);
        }
        else
        {
            Reroute(call, "the activation ended as the call came", madeProgress: false);
        }
    }

    private async Task ForwardAsync(GrainCall call, ClusterId cluster)
    {
        var writer = PayloadWriters.Rent();
        var number = cancellations.NumberFor(call);
        try
        {
            // The messenger waits a little longer than the call, so that a time-out is the call's own, which names the chain.
            var left = TimeLeft(call);
            CallHeader.WriteCall(writer, call, number, deadlines, left);
            var message = new MessageOptions(
                PartitionKey: call.Target.ToPartitionKey(), Timeout: left + (2 * options.TimeoutResolution));
            if (call.Method.IsOneWay)
            {
                await EndOneWayAsync(call, cluster, messenger.TrySend(cluster, Service, writer.Written, message)).ConfigureAwait(false);
                return;
            }

            var reply = await messenger.RequestAsync(cluster, Service, writer.Written, message, call.Cancellation).ConfigureAwait(false);
            await EndAsync(call, cluster, reply).ConfigureAwait(false);
        }
        catch (OperationCanceledException e) when (number != 0 && call.Cancellation.IsCancellationRequested)
        {
            Cancellations.Send(messenger, cluster, call.Target, number);
            call.TryFail(e);
        }
        catch (Exception e)
        {
            Refuse(call, e);
        }
        finally
        {
            PayloadWriters.Return(writer);
        }
    }

    private TimeSpan TimeLeft(GrainCall call)
    {
        var left = deadlines.Until(call.AnswerDueAt);
        return left > TimeSpan.FromMilliseconds(1) ? left : TimeSpan.FromMilliseconds(1);
    }

    private async ValueTask EndAsync(GrainCall call, ClusterId cluster, ClusterReply reply)
    {
        switch (reply.Outcome)
        {
            case ReplyOutcome.Replied when !CallReply.IsNotHere(reply.Payload.Span):
                call.Answer(reply.Payload);
                break;

            case ReplyOutcome.Replied:
                await directory().ForgetCachedAsync(call.Target, cluster).ConfigureAwait(false);
                Reroute(call, $"{cluster} does not have it any more", madeProgress: false);
                break;

            case ReplyOutcome.Refused:
                await directory().ForgetCachedAsync(call.Target, cluster).ConfigureAwait(false);
                Reroute(call, $"cluster {cluster} cannot be reached ({reply.Reason})", madeProgress: false);
                break;

            default:
                // It may have been executed, so it is not tried again; the next call asks anew who has the grain.
                await directory().ForgetCachedAsync(call.Target, cluster).ConfigureAwait(false);
                call.TryFail(new GeoOutcomeUnknownException(
                    $"Whether {call} was executed in cluster {cluster} is not known: {reply.Reason} Read before trying again."));
                break;
        }
    }

    private async ValueTask EndOneWayAsync(GrainCall call, ClusterId cluster, bool wasQueued)
    {
        if (!wasQueued)
        {
            await directory().ForgetCachedAsync(call.Target, cluster).ConfigureAwait(false);
            Reroute(call, $"cluster {cluster} cannot be reached", madeProgress: false);
        }
    }

    private static void Refuse(GrainCall call, Exception exception)
    {
        EmbeddedMetrics.RefusedCalls.Add(1);
        call.TryFail(exception);
    }
}
