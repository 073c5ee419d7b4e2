namespace TpcwMini.Robots;

/// <summary>The four steps of a workflow, in order.</summary>
internal enum StepKind
{
    Create,
    Add,
    Buy,
    Confirm,
}
