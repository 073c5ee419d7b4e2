namespace Geo.Embedded;

/// <summary>The end of the time that an activation has to become active, or to end.</summary>
internal sealed class LifeLimit(ActivationLife life) : Deadline
{
    public override void Expire() => life.Overrun(this);
}
