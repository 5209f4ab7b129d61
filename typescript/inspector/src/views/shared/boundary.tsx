/** Shows an error of a view in its place, so that the rest of the page stays usable. */

import { Component, type ComponentChildren } from "preact";

interface State {
  readonly error?: Error;
}

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** What is shown in place of what failed; else that the inspector failed. */
  readonly otherwise?: () => ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, State> {
  static override getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override state: State = {};

  override render() {
    const { error } = this.state;
    const { children, otherwise } = this.props;
    if (error === undefined) return children;
    if (otherwise !== undefined) return otherwise();
    return (
      <main class="notice">
        <div role="alert">
          <h2>This cannot be shown</h2>
          <p>
            The inspector failed at it: {error.message}. Read it as something else above, or report it as a fault of the
            inspector.
          </p>
        </div>
      </main>
    );
  }
}
