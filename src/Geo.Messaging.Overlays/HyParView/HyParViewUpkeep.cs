namespace Geo.Messaging.Overlays;

/// <summary>
/// What <see cref="HyParView"/> does as time passes: overdue asks and idle links end, neighbours are found, views are shuffled.
/// </summary>
internal sealed class HyParViewUpkeep(HyParViewTurn turn)
{
    private HyParView State
    {
        get => turn.State;
        set => turn.State = value;
    }

    private HyParViewOptions Options => State.Options;

    /// <summary>Ends what has waited too long, repairs, and shuffles when it is time.</summary>
    public void OnTick()
    {
        foreach (var (peer, ask) in State.Asked)
        {
            if (turn.Now >= ask.Until)
            {
                turn.CancelConnect(ask.Member);
                turn.Drop(peer);
                State = State.WithLost(ask.Member, turn.Random);
            }
        }

        foreach (var (peer, until) in State.Idle)
        {
            if (turn.Now >= until)
            {
                turn.Drop(peer);
            }
        }

        if (State.IsJoining && turn.Now >= State.JoinUntil && !State.Active.IsEmpty)
        {
            State = State with { IsJoining = false };
        }

        Repair();
        if (State.NextShuffle == default)
        {
            // Not all at the same time.
            State = State with { NextShuffle = turn.Now + (Options.ShuffleInterval * turn.Random.NextDouble()) };
        }
        else if (turn.Now >= State.NextShuffle)
        {
            State = State with { NextShuffle = turn.Now + Options.ShuffleInterval };
            OnShuffleTime();
        }
    }

    /// <summary>Asks for a neighbour where there are too few.</summary>
    public void Repair()
    {
        if (State.Active.Count + State.Asked.Count < Options.ActiveMin && turn.Any(Candidates()) is { } candidate)
        {
            turn.Ask(candidate, urgent: State.Active.IsEmpty);
        }

        // Nobody left to ask: begin anew with those by whom it joined.
        if (State.Active.IsEmpty && State.Asked.IsEmpty && State.Contacts.Count > 0 && turn.Now >= State.NextContact)
        {
            State = State with { IsJoining = true, NextContact = turn.Now + Options.AskTimeout };
            State.Contacts.ForEach(contact => turn.Do(new OverlayEffect.Connect(contact)));
        }
    }

    private void OnShuffleTime()
    {
        foreach (var peer in State.Active.Keys)
        {
            turn.Say(peer, HyParViewKind.Alive);
        }

        HyParViewReader.StartShuffle(turn);
        if (State.Active.Count < Options.ActiveMax && turn.Any(Candidates()) is { } candidate)
        {
            turn.Ask(candidate, urgent: false);
        }

        if (turn.Any([.. State.Lost.Values.Where(lost => !State.Asked.ContainsKey(lost.Peer))]) is { } lost)
        {
            turn.Ask(lost, urgent: true);
        }
    }

    private List<OverlayMember> Candidates() => [.. State.Passive.Values.Where(member => !State.Asked.ContainsKey(member.Peer))];
}
