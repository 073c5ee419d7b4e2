using System.Diagnostics;
using System.Net;

namespace Geo.Experiments.Networks;

/// <summary>The network between the peers of an experiment: peer n is at place n.</summary>
internal interface IExperimentNetwork : IAsyncDisposable
{
    /// <summary>What it is made of.</summary>
    NetworkKind Kind { get; }

    /// <summary>Where the peer at a place listens.</summary>
    IPAddress AddressOf(int place);

    /// <summary>Where one place reaches what listens on another's port.</summary>
    IPEndPoint Route(int from, int to, int port);

    /// <summary>The same start of a process, at a place.</summary>
    ProcessStartInfo At(int place, ProcessStartInfo start);
}
