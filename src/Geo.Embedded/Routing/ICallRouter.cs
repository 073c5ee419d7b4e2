using Geo.Directory;

namespace Geo.Embedded;

/// <summary>Finds a call's grain.</summary>
internal interface ICallRouter
{
    /// <summary>Takes a call to its grain. Never throws: the call ends by what goes wrong.</summary>
    void Route(GrainCall call);

    /// <summary>Goes on with a call that did not run where it was.</summary>
    /// <param name="call">The call, which its activation has given back.</param>
    /// <param name="happened">What has happened to it.</param>
    /// <param name="why">The same, for people.</param>
    void GoOn(GrainCall call, CallEvent happened, string why);

    /// <summary>Passes a call to the silo of this cluster that has its grain.</summary>
    void Pass(GrainCall call, string node);
}
