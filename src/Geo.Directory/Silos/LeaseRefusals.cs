namespace Geo.Directory;

/// <summary>What the callers of a silo without a lease are told.</summary>
internal static class LeaseRefusals
{
    /// <summary>The call did not run.</summary>
    public static GeoUnavailableException NotServed(GrainKey grain) => new(
        $"The call on grain '{grain}' did not run: its silo has not been able to renew its lease, or was declared dead. Try again.");

    /// <summary>The call ended after the lease had.</summary>
    public static GeoOutcomeUnknownException NotConfirmed(GrainKey grain) => new(
        $"The call on grain '{grain}' ran, but its silo lost its lease meanwhile: another silo may have taken the grain over before, and "
        + "what the call did may be lost.");
}
