namespace Geo.Consistency;

/// <summary>A view for which callers wait.</summary>
internal interface IWaitedView
{
    /// <summary>Ends all waits of now; what is queued stays queued, and the view goes on. Called on the view's scheduler.</summary>
    void GiveUpWaits(GeoOutcomeUnknownException reason);
}
